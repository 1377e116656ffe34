"""Figures and tables: tidy tables + published numbers -> what a reader sees.

Input: the tidy tables of the experiments that config names for the item, the published numbers, other files by name.
Output: one picture in three formats, or one table in three.
"""


rule figure:
    input:
        lambda w: unless_item_sealed("figures", "figure", w),
        unpack(item_inputs("figures")),
    output:
        "<figures>/{paper}/{item}.png",
        pdf="<figures>/{paper}/{item}.pdf",
        svg="<figures>/{paper}/{item}.svg",
        seal="<results>/{paper}/seals/figures/{item}.json",
    log:
        "<logs>/figures/{paper}/{item}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=lambda w, attempt: 1024 * attempt,
        runtime=30,
    params:
        job=item_params("figures"),
        made_from=lambda w: made_from("figures", "figure", w),
    script:
        "../scripts/figure.py"


rule table:
    input:
        lambda w: unless_item_sealed("tables", "table", w),
        unpack(item_inputs("tables")),
    output:
        "<figures>/{paper}/{item}.csv",
        md="<figures>/{paper}/{item}.md",
        tex="<figures>/{paper}/{item}.tex",
        seal="<results>/{paper}/seals/tables/{item}.json",
    log:
        "<logs>/tables/{paper}/{item}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=lambda w, attempt: 1024 * attempt,
        runtime=30,
    params:
        job=item_params("tables"),
        made_from=lambda w: made_from("tables", "table", w),
    script:
        "../scripts/table.py"
