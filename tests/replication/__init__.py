# SPDX-License-Identifier: GPL-2.0-only
"""What `./dev test replication` does: primaries and replicas as private servers, under load."""
