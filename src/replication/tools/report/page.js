// The board is a DataTable; a row opens its detail; the counts and the menus filter it; charts are drawn when opened.
const bytes = Uint8Array.from(atob(document.getElementById("datatables").textContent), (c) => c.charCodeAt(0));
const { default: DataTable } = await import(URL.createObjectURL(new Blob([bytes], { type: "text/javascript" })));

const board = new DataTable("#board", {
  pageLength: 25,
  lengthMenu: [25, 100, { label: "all", value: -1 }],
  order: [],
  autoWidth: false,
  layout: { topStart: "search", topEnd: "pageLength", bottomStart: "info", bottomEnd: "paging" },
  language: { search: "search all rows", lengthMenu: "_MENU_ rows a page" },
});

function detail(row, open) {
  const claim = row.node().id;
  if (open) row.child(document.querySelector(`template[data-claim="${CSS.escape(claim)}"]`).content.cloneNode(true).firstElementChild).show();
  else row.child.hide();
  row.node().querySelector("button.open").setAttribute("aria-expanded", String(open));
}

document.querySelector("#board tbody").addEventListener("click", (event) => {
  const button = event.target.closest("button.open");
  if (!button) return;
  const row = board.row(button.closest("tr"));
  detail(row, !row.child.isShown());
});

const menus = [...document.querySelectorAll("#filters select")];
function filter() {
  for (const menu of menus) board.column(menu.dataset.column).search(menu.value, { exact: menu.value !== "" });
  board.draw();
}
menus.forEach((menu) => menu.addEventListener("change", filter));
document.getElementById("filters").addEventListener("reset", () => setTimeout(() => { board.search(""); filter(); }));
document.querySelectorAll("button.count").forEach((button) =>
  button.addEventListener("click", () => {
    menus[0].value = button.dataset.paper;
    menus[1].value = button.dataset.outcome;
    filter();
    document.getElementById("filters").scrollIntoView();
  }),
);

const curves = JSON.parse(document.getElementById("curves-data").textContent);
document.querySelectorAll("details.curves").forEach((details) =>
  details.addEventListener("toggle", async () => {
    const chart = details.querySelector(".chart");
    if (details.open && !chart.hasChildNodes()) {
      const drawn = await vegaEmbed(chart, curves[details.dataset.curves], { actions: false, renderer: "svg" });
      details.view = drawn.view;
    }
  }),
);

// A link to what is folded, or to a row on another page of the board, opens it.
function reach() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
  if (target) target.scrollIntoView();
  const row = location.hash && board.row(`#${CSS.escape(decodeURIComponent(location.hash.slice(1)))}`);
  if (row && row.any() && row.node()) {
    board.search(row.node().id).draw();
    detail(row, true);
    document.getElementById("filters").scrollIntoView();
  }
}
addEventListener("hashchange", reach);
reach();
document.documentElement.dataset.ready = "yes";
