"""Figures and tables: tidy tables + published numbers -> what a reader sees.

Input: the tidy tables of the experiments that config names for the item, the published numbers, other files by name.
Output: one picture in three formats, or one table in three.
"""


rule figure:
    input:
        unpack(item_inputs("figures")),
    output:
        "<figures>/{paper}/{item}.png",
        pdf="<figures>/{paper}/{item}.pdf",
        svg="<figures>/{paper}/{item}.svg",
    log:
        "<logs>/figures/{paper}/{item}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1024,
        runtime=30,
    params:
        job=item_params("figures"),
        code=lambda w: code("replication.drawing.plotting", module(w.paper, "figures")),
        contents=item_contents("figures", "figure"),
    script:
        "../scripts/figure.py"


rule table:
    input:
        unpack(item_inputs("tables")),
    output:
        "<figures>/{paper}/{item}.csv",
        md="<figures>/{paper}/{item}.md",
        tex="<figures>/{paper}/{item}.tex",
    log:
        "<logs>/tables/{paper}/{item}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1024,
        runtime=30,
    params:
        job=item_params("tables"),
        code=lambda w: code("replication.drawing.tabulate", module(w.paper, "tables")),
        contents=item_contents("tables", "table"),
    script:
        "../scripts/table.py"
