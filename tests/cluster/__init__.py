# SPDX-License-Identifier: GPL-2.0-only
"""Several servers as their users set them up: clones, promotions, what an acknowledgement means.

tier.py              the list of scenarios; a new one is a class of kit/replicas/scenario.py in it
copied.py            what scenarios with basalt-backup share
clones.py            a clone under load, killed; the primary dies, a replica is promoted
acknowledgements.py  where a commit is when its client has the answer, and when both servers die
"""
