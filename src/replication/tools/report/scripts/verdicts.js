// One view is shown at a time, by the address: #lee2019, or a figure, claim or ledger entry in it. The verdicts are
// filtered, searched and sorted by a form whose state is in the address too: #verdicts?paper=lee2019&outcome=fails.
{
  const views = [...document.querySelectorAll("main > section")];
  const form = document.getElementById("filters");
  const table = document.querySelector("#verdicts table.cards");
  const rows = [...table.tBodies];
  const few = Number(table.dataset.few); // rows that are shown until the reader asks for all
  const place = new Map(rows.map((row, i) => [row, i]));
  const outcomes = [...form.elements.outcome.options].map((option) => option.value);

  // A formula is found as it is typed: q_a, sqrt(nKT), delta.
  const typed = new Map(Object.entries(JSON.parse(table.dataset.typed)).map(([name, sign]) => [sign, name]));
  const plain = (text) => text.replaceAll(/[_^]/g, "").replaceAll(/[^\0-\x7f]/g, (sign) => typed.get(sign) ?? sign).toLowerCase();

  const texts = new Map();
  function text(row) {
    if (!texts.has(row)) {
      const parts = [row, row.querySelector("template").content].flatMap((place) => [...place.querySelectorAll(".searched")]);
      texts.set(row, plain(parts.map((part) => part.textContent).join(" ")));
    }
    return texts.get(row);
  }

  // An id of the ledger matches as a whole word: L16 is not found in L160.
  const has = (row, word) => (/^[le]\d{2,3}$/.test(word) ? new RegExp(`\\b${word}\\b`).test(text(row)) : text(row).includes(word));

  const VALUES = {
    published: (row) => Number.parseFloat(row.dataset.published.replaceAll(",", "")),
    replicated: (row) => Number.parseFloat(row.dataset.replicated.replaceAll(",", "")),
    outcome: (row) => outcomes.indexOf(row.dataset.outcome),
  };

  // Values that are not numbers come last in either direction, and equal ones keep the papers' order.
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
    const words = plain(wanted.search).split(/\s+/).filter(Boolean);
    const found = rows
      .filter((row) => ["paper", "outcome", "kind"].every((name) => !wanted[name] || row.dataset[name] === wanted[name]))
      .filter((row) => words.every((word) => has(row, word)))
      .sort(comparison(wanted.sort));
    const shown = wanted.rows === "all" ? found : found.slice(0, few);
    const chosen = new Set(shown);
    for (const row of rows) row.hidden = !chosen.has(row);
    table.append(...shown);
    document.getElementById("shown").textContent = found.length ? `${shown.length} of ${found.length} rows` : "No row matches.";
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
    return query.size ? `#verdicts?${query}` : "#verdicts";
  }

  function fill(query) {
    for (const field of form.elements) {
      if (field.name) field.value = query.get(field.name) ?? "";
      if (field.selectedIndex === -1) field.selectedIndex = 0; // the address names an unknown choice
    }
  }

  // Until a row is opened, its details are in a template: two thirds of the page, which need not be laid out.
  function open(row, yes) {
    const template = row.querySelector("template");
    if (!template.nextElementSibling) template.after(template.content.cloneNode(true));
    row.querySelector(".detail-row").hidden = !yes;
    row.querySelector("button.open").setAttribute("aria-expanded", String(yes));
  }

  // For Back, an address that is left remembers its scroll position and the link that was followed.
  history.scrollRestoration = "manual";
  const followed = [];
  function leave(link) {
    history.replaceState({ top: scrollY, link: followed.push(link) - 1 }, "");
  }
  function go(to) {
    leave(document.activeElement);
    location.hash = to;
  }
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (!link || event.defaultPrevented || link.hash === location.hash) return;
    leave(link.closest("dialog") ? document.activeElement : link); // the dialog has closed, and the element that opened it has the focus
  });

  table.addEventListener("click", (event) => {
    const button = event.target.closest("button.open");
    if (button) open(button.closest("tbody"), button.getAttribute("aria-expanded") !== "true");
    const heading = event.target.closest("th[data-sort]");
    if (heading) {
      const name = heading.dataset.sort;
      form.elements.sort.value = form.elements.sort.value === name ? `-${name}` : name;
      go(address());
    }
  });

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    go("#verdicts");
  });
  form.addEventListener("change", () => go(address()));
  // The search field is outside the form. A typed query is one step in the history, not one per letter.
  const { search } = form.elements;
  let typing = false;
  search.addEventListener("focus", () => (typing = false));
  search.addEventListener("input", () => {
    if (address() === location.hash) return;
    if (typing) location.replace(address());
    else go(address());
    typing = true;
  });
  document.getElementById("all-rows").addEventListener("click", () => {
    form.elements.rows.value = "all";
    go(address());
  });

  function turn(view) {
    for (const other of views) other.hidden = other !== view;
    for (const link of document.querySelectorAll("nav a")) {
      link.removeAttribute("aria-current");
      if (link.hash !== `#${view.id}`) continue;
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "center" });
    }
  }

  function reach() {
    const [name, query] = location.hash.slice(1).split("?");
    const target = document.getElementById(name) ?? views[0];
    const isRow = rows.includes(target);
    if (!isRow || target.hidden) {
      fill(new URLSearchParams(isRow ? { search: name } : query));
      show();
    }
    turn(target.closest("main > section") ?? views[0]);
    if (isRow) open(target, true);
    if (target instanceof HTMLDetailsElement) target.open = true;
    if (history.state) {
      scrollTo(0, history.state.top);
      followed[history.state.link]?.focus({ preventScroll: true });
    } else if (views.includes(target)) {
      const { activeElement } = document;
      if (activeElement.form !== form && !table.contains(activeElement)) scrollTo(0, 0);
    } else {
      target.scrollIntoView();
      if (isRow) target.querySelector("button.open").focus({ preventScroll: true });
    }
  }
  show();
  addEventListener("hashchange", reach);
  reach();
}
