// How a paper is read: each headline of its strip shows the outcome and the value under the chosen reading.
{
  const strips = JSON.parse(document.getElementById("strips-data").textContent);
  for (const strip of document.querySelectorAll(".strip")) {
    const choice = strip.querySelector(".read");
    if (!choice) continue;
    const items = [...strip.querySelectorAll(".story li")];
    const first = items.map((item) => [item.querySelector(".under").innerHTML, item.querySelector(".value").innerHTML]);
    choice.addEventListener("change", () => {
      const judged = strips[strip.dataset.paper][choice.value];
      items.forEach((item, i) => {
        const [under, value] = [item.querySelector(".under"), item.querySelector(".value")];
        if (choice.value === "combined") [under.innerHTML, value.innerHTML] = first[i];
        else {
          const badge = Object.assign(document.createElement("span"), { className: `badge ${judged[i][0]}`, textContent: judged[i][1] });
          under.replaceChildren(badge);
          value.textContent = judged[i][2];
        }
      });
    });
  }
}
