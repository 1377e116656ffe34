// The board: filtered, searched and sorted by a form whose state stands in the address, so that Back works and a link
// can name it: #board?paper=lee2019&outcome=fails. A claim's address is its id; it opens its row.
{
  const form = document.getElementById("filters");
  const table = document.getElementById("board");
  const rows = [...table.tBodies];
  const few = Number(table.dataset.few); // rows that are shown until all are asked for
  const place = new Map(rows.map((row, i) => [row, i]));
  const outcomes = [...form.elements.outcome.options].map((option) => option.value);

  const texts = new Map();
  function text(row) {
    if (!texts.has(row)) {
      const parts = [row, row.querySelector("template").content].flatMap((place) => [...place.querySelectorAll(".searched")]);
      texts.set(row, parts.map((part) => part.textContent).join(" ").toLowerCase());
    }
    return texts.get(row);
  }

  // An id of the ledger is a word of its own: L16 is not found in L160.
  const has = (row, word) => (/^[le]\d{2,3}$/.test(word) ? new RegExp(`\\b${word}\\b`).test(text(row)) : text(row).includes(word));

  const VALUES = {
    published: (row) => Number.parseFloat(row.dataset.published.replaceAll(",", "")),
    replicated: (row) => Number.parseFloat(row.dataset.replicated.replaceAll(",", "")),
    outcome: (row) => outcomes.indexOf(row.dataset.outcome),
  };

  // What is no number comes last in either direction, and equals keep the papers' order.
  function comparison(sort) {
    const down = sort.startsWith("-") ? -1 : 1;
    const value = VALUES[sort.replace("-", "")];
    return (a, b) => {
      if (!value) return place.get(a) - place.get(b);
      const [x, y] = [value(a), value(b)];
      return Number.isNaN(x) - Number.isNaN(y) || down * (x - y) || place.get(a) - place.get(b);
    };
  }

  function show() {
    const wanted = Object.fromEntries(new FormData(form));
    const words = wanted.search.toLowerCase().split(/\s+/).filter(Boolean);
    const found = rows
      .filter((row) => ["paper", "outcome", "basis"].every((name) => !wanted[name] || row.dataset[name] === wanted[name]))
      .filter((row) => words.every((word) => has(row, word)))
      .sort(comparison(wanted.sort));
    const shown = wanted.rows === "all" ? found : found.slice(0, few);
    const chosen = new Set(shown);
    for (const row of rows) row.hidden = !chosen.has(row);
    table.append(...shown);
    document.getElementById("shown").textContent = `${shown.length} of ${found.length} rows`;
    document.getElementById("all-rows").hidden = shown.length === found.length;
    for (const heading of table.tHead.querySelectorAll("th[data-sort]")) {
      const name = heading.dataset.sort;
      const direction = { [name]: "ascending", [`-${name}`]: "descending" }[wanted.sort];
      if (direction) heading.setAttribute("aria-sort", direction);
      else heading.removeAttribute("aria-sort");
    }
  }

  function address() {
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    return query.size ? `#board?${query}` : "#board";
  }

  function fill(query) {
    for (const field of form.elements) if (field.name) field.value = query.get(field.name) ?? "";
  }

  // What a row unfolds stands in a template until then: two thirds of the page, which need not be laid out.
  function open(row, yes) {
    const template = row.querySelector("template");
    if (!template.nextElementSibling) template.after(template.content.cloneNode(true));
    row.querySelector(".detail-row").hidden = !yes;
    row.querySelector("button.open").setAttribute("aria-expanded", String(yes));
  }

  table.addEventListener("click", (event) => {
    const button = event.target.closest("button.open");
    if (button) open(button.closest("tbody"), button.getAttribute("aria-expanded") !== "true");
    const heading = event.target.closest("th[data-sort]");
    if (heading) {
      const name = heading.dataset.sort;
      form.elements.sort.value = form.elements.sort.value === name ? `-${name}` : name;
      location.hash = address();
    }
  });

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    location.hash = "#board";
  });
  form.addEventListener("change", (event) => {
    if (event.target.name !== "search") location.hash = address();
  });
  // What is typed is one step back, not one for each letter.
  let typing = false;
  form.elements.search.addEventListener("focus", () => (typing = false));
  form.elements.search.addEventListener("input", () => {
    if (address() === location.hash) return;
    if (typing) location.replace(address());
    else location.hash = address();
    typing = true;
  });
  document.getElementById("all-rows").addEventListener("click", () => {
    form.elements.rows.value = "all";
    location.hash = address();
  });

  function reach() {
    const [name, query] = decodeURIComponent(location.hash.slice(1)).split("?");
    const target = document.getElementById(name);
    if (name === "" || name === "board") {
      fill(new URLSearchParams(location.hash.split("?")[1] ?? ""));
      show();
      if (query !== undefined && !form.contains(document.activeElement) && !table.contains(document.activeElement)) {
        form.scrollIntoView();
      }
    } else if (rows.includes(target)) {
      if (target.hidden) {
        fill(new URLSearchParams("rows=all"));
        show();
      }
      open(target, true);
      target.scrollIntoView();
      target.querySelector("button.open").focus({ preventScroll: true });
    } else if (target) {
      if (target instanceof HTMLDetailsElement) target.open = true;
      target.scrollIntoView();
    }
  }
  show();
  addEventListener("hashchange", reach);
  reach();
}
