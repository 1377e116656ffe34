// The page contains each picture once; the link that saves it leads to the same address.
for (const link of document.querySelectorAll("a.png")) link.href = link.closest("figure").querySelector("img").src;
