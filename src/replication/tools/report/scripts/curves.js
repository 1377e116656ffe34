// Curves are drawn when they are opened; a checkbox per policy switches its line on and off.
{
  const curves = JSON.parse(document.getElementById("curves-data").textContent);

  // Vega is large: it is loaded when the first curves are opened.
  let loaded;
  function vega() {
    loaded ??= (0, eval)(document.getElementById("vega").textContent) ?? true;
    return window.vegaEmbed;
  }

  function choice(policy, hidden, view) {
    const label = document.createElement("label");
    const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: true });
    const line = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    line.setAttribute("aria-hidden", "true");
    line.innerHTML = '<line x1="0" x2="24" y1="6" y2="6" stroke-width="2.5"/>';
    line.firstChild.setAttribute("stroke", policy.colour);
    if (policy.dash.at(-1)) line.firstChild.setAttribute("stroke-dasharray", policy.dash.join(" "));
    label.append(box, line, policy.name);
    box.addEventListener("change", () => {
      if (box.checked) hidden.delete(policy.name);
      else hidden.add(policy.name);
      view.signal("hidden", [...hidden]).runAsync();
    });
    return label;
  }

  for (const details of document.querySelectorAll("details.curves")) {
    details.addEventListener("toggle", async () => {
      if (!details.open || details.view) return;
      const specification = curves[details.dataset.curves];
      const drawn = await vega()(details.querySelector(".chart"), specification, { actions: false, renderer: "svg" });
      const hidden = new Set();
      details.view = drawn.view;
      details.querySelector(".policies").append(...specification.usermeta.policies.map((p) => choice(p, hidden, drawn.view)));
    });
  }
  document.documentElement.dataset.ready = "yes";
}
