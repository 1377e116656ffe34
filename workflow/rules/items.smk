"""Figures and tables: tidy tables and published numbers -> what a reader sees.

Input: the tidy tables of the experiments that the configuration names for the item, the published numbers, and other files by
name. Output: one picture, in three formats unless the configuration asks for PNG only, or one table in three formats.
"""


rule figure:
    input:
        unpack(
            lambda w: results_of(
                w.paper,
                study.entry(w.paper, "figures", w.item).get("experiments", ()),
                study.inputs(w.paper, "figures", w.item),
            )
        ),
    output:
        report(
            "<figures>/{paper}/{item}.png",
            caption="../report/item.rst",
            category="{paper}",
            labels={"name": "{item}", "kind": "figure"},
        ),
        [f"<figures>/{{paper}}/{{item}}.{suffix}" for suffix in study.figure_formats[1:]],
    log:
        "<logs>/{paper}/figures/{item}.log",
    benchmark:
        "<logs>/{paper}/figures/{item}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=lambda w, attempt: 1024 * attempt,
        runtime=lambda w, attempt: 30 * attempt,
    params:
        job=lambda w: study.item_job(w.paper, "figures", w.item),
        key=lambda w: study.item_job(w.paper, "figures", w.item).key,
        caption=lambda w: study.entry(w.paper, "figures", w.item)["caption"],
    message:
        "{wildcards.paper}: draw {wildcards.item}"
    script:
        "../scripts/figure.py"


rule table:
    input:
        unpack(
            lambda w: results_of(
                w.paper,
                study.entry(w.paper, "tables", w.item).get("experiments", ()),
                study.inputs(w.paper, "tables", w.item),
            )
        ),
    output:
        report(
            "<figures>/{paper}/{item}.csv",
            caption="../report/item.rst",
            category="{paper}",
            labels={"name": "{item}", "kind": "table"},
        ),
        "<figures>/{paper}/{item}.md",
        "<figures>/{paper}/{item}.tex",
    log:
        "<logs>/{paper}/tables/{item}.log",
    benchmark:
        "<logs>/{paper}/tables/{item}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=lambda w, attempt: 1024 * attempt,
        runtime=lambda w, attempt: 30 * attempt,
    params:
        job=lambda w: study.item_job(w.paper, "tables", w.item),
        key=lambda w: study.item_job(w.paper, "tables", w.item).key,
        caption=lambda w: study.entry(w.paper, "tables", w.item)["caption"],
    message:
        "{wildcards.paper}: tabulate {wildcards.item}"
    script:
        "../scripts/table.py"
