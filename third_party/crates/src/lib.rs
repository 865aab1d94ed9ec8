// SPDX-License-Identifier: GPL-2.0-only
//! Empty on purpose: this package exists only to name the sources that Cargo fetches.
