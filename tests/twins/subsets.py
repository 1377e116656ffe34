"""UCB+ in plain Python, by the steps of its authors' code, on dictionaries and lists."""

import math


def ucb_plus(policy, bandit, streams, horizon):
    """The arms that the steps of the authors' code play, on dictionaries whose keys are arms."""
    world = bandit.worlds(0, horizon, streams.environment)
    number = {frozenset(arm.items()): a for a, arm in enumerate(bandit.arms)}
    variables = [x for x in bandit.scm.graph.nodes if x != bandit.reward]
    n, v, m, k = len(variables), bandit.scm.cardinality(variables[0]), max(map(len, number)), policy.parents
    if k is None:  # all variables can be set
        k = len(bandit.scm.graph.parents(bandit.reward))
    every = [arm for arm in number if len(arm) == m]
    size = len(every)
    if policy.subset and k <= m:
        optimal = math.comb(m, k) / (math.comb(n, k) * v**k)
        size = min(size, max(1, math.ceil(math.log(horizon) / 2 / optimal)))
    places = streams.policy.permutation([number[arm] for arm in every])[:size]
    drawn = [every[[number[arm] for arm in every].index(p)] for p in places]
    alpha = policy.alpha / math.comb(n, m) if policy.divided else policy.alpha
    samples, played = {arm: [] for arm in drawn}, []
    for t in range(horizon):
        best, highest = None, -math.inf
        for arm in drawn:
            own = samples[arm]
            index = {"infinite": math.inf, "one": 1.0}[policy.unplayed]
            if own:
                index = sum(own) / len(own) + math.sqrt(alpha * math.log(horizon) / len(own))
            if index > highest:
                best, highest = arm, index
        states, reward = bandit.play(world, t, number[best])
        played.append(number[best])
        for arm in drawn:
            if all(states[x] == s for x, s in arm) if policy.share else arm == best:
                samples[arm].append(reward)
    return played


def ucb_plus_unknown(policy, bandit, streams, horizon):
    """The arms played, the samples that count for arms and for mixtures; on lists and dictionaries."""
    world, rng = bandit.worlds(0, horizon, streams.environment), streams.policy
    variables = [x for x in bandit.scm.graph.nodes if x != bandit.reward]
    n, v, m = len(variables), bandit.scm.cardinality(variables[0]), len(bandit.arms[0])
    alpha = policy.alpha / math.comb(n, m) if policy.divided else policy.alpha
    r, i_f = math.ceil(math.log2(math.sqrt(horizon))), max(1, math.ceil(math.log2(math.sqrt(horizon * m / (v * n)))))
    unplayed = 1.0 if policy.unplayed == "one" else math.inf
    of_arm, of_mixture, played, history = {}, {}, [], {}

    def enter(arms):
        for a in arms:
            of_arm.setdefault(a, [])
        return arms

    def draw(count, pool):
        return [int(a) for a in rng.permutation(pool)[:count]]

    s, i = enter(draw(2**r, len(bandit.arms))), 1
    while len(played) < horizon:
        rounds = 2 ** (r + i) * math.ceil(v * n / m) if i <= i_f else horizon
        history[i] = []
        for _ in range(min(rounds, horizon - len(played))):
            t = len(played) + 1
            candidates = [("arm", a, of_arm[a]) for a in s] + [("mixture", j, of_mixture[j]) for j in range(1, i)]
            best, highest = None, -1.0
            for kind, name, own in candidates:
                index = sum(own) / len(own) + math.sqrt(alpha * max(1, math.log(t)) / len(own)) if own else unplayed
                if index > highest:
                    best, highest = (kind, name), index
            kind, arm = best
            if kind == "mixture":
                arm = history[best[1]][int(rng.random() * len(history[best[1]]))]
            reward = bandit.play(world, t - 1, arm)[1]
            of_arm.setdefault(arm, []).append(reward)
            if kind == "mixture":
                of_mixture[best[1]].append(reward)
            history[i].append(arm)
            played.append(arm)
        of_mixture[i], i = [], i + 1
        count = 2 ** (r - min(i, i_f) + 1)
        if len(played) == horizon:
            break
        if policy.next_arms == "best":
            tried = sorted((a for a in of_arm if of_arm[a]), key=lambda a: -sum(of_arm[a]) / len(of_arm[a]))[:count]
            new = [a for a in range(len(bandit.arms)) if a not in of_arm]
            s = enter(tried + (draw(count - len(tried), new) if len(tried) < count else []))
        elif i <= i_f:
            of_arm.clear()
            s = enter(draw(count, len(bandit.arms)))
    return played, of_arm, of_mixture
