// A square, a headline or a cell of a printed table shows its claim in a dialog; without scripts its link leads to the row.
{
  const dialog = document.getElementById("peek");

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.peek");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const row = document.getElementById(link.hash.slice(1));
    dialog.querySelector("h2").textContent = row.querySelector(".claim-text").textContent;
    dialog.querySelector(".content").replaceChildren(row.querySelector("template").content.cloneNode(true));
    dialog.showModal();
    dialog.scrollTop = 0;
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest("a")) dialog.close();
  });
}
