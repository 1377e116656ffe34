"""Lines of the raw files' layouts."""


def person(age=39, sex="Male", race="White", income="<=50K", workclass="Private"):
    before = f"{age}, {workclass}, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family"
    return f"{before}, {race}, {sex}, 2174, 0, 40, United-States, {income}"


def video(name, age=700, category="Music", length=100, views=50, rate=4.5, ratings=10, comments=3, related=2):
    first = [name, "someone", age, category, length, views, rate, ratings, comments]
    return "\t".join(map(str, [*first, *(f"{name}r{i}" for i in range(related))]))
