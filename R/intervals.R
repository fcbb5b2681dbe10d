# Confidence intervals, each by the name under which a report gives it. Where rows carry case
# weights, a proportion's trials are the effective ones: see effective_trials().

exact_method <- "Clopper-Pearson"

wilson_method <- "Wilson"

proportion_methods <- c(exact = exact_method, wilson = wilson_method)

proportion_interval <- function(method, successes, trials, conf_level) {
  switch(method,
    exact = clopper_pearson(successes, trials, conf_level),
    wilson = wilson(successes, trials, conf_level)
  )
}

# Clopper and Pearson (1934), by quantiles of the beta distribution.
clopper_pearson <- function(successes, trials, conf_level) {
  tail <- (1 - conf_level) / 2
  # Sums of weights may differ by rounding.
  failures <- pmax(trials - successes, 0)
  bound <- function(probability, a, b) {
    ifelse(trials == 0, NA_real_, stats::qbeta(probability, a, b))
  }
  list(
    lower = bound(tail, successes, failures + 1),
    upper = bound(1 - tail, successes + 1, failures)
  )
}

# Wilson (1927), without continuity correction.
wilson <- function(successes, trials, conf_level) {
  z <- normal_quantile(conf_level)
  share <- successes / trials
  centre <- (share + z^2 / (2 * trials)) / (1 + z^2 / trials)
  half <- z / (1 + z^2 / trials) * sqrt(share * (1 - share) / trials + z^2 / (4 * trials^2))
  list(
    lower = ifelse(trials == 0, NA_real_, ifelse(successes == 0, 0, centre - half)),
    upper = ifelse(trials == 0, NA_real_, ifelse(successes == trials, 1, centre + half))
  )
}

# The mean of numbers from their own intervals (method of variance estimates recovery): Zou, Huang
# and Zhang (2009); where the numbers are correlated, Zou (2008).
mover_mean <- function(estimates, lower, upper, correlation = diag(length(estimates))) {
  half <- function(distance) {
    sqrt(drop(distance %*% correlation %*% distance)) / length(estimates)
  }
  list(
    lower = mean(estimates) - half(estimates - lower),
    upper = mean(estimates) + half(upper - estimates)
  )
}

# Newcombe (2006), method 5: the AUCs whose distance from the estimate is within z standard errors
# at that AUC. Defined for a single case, and where DeLong's variance is 0.
newcombe_auc <- function(auc, positives, negatives, conf_level) {
  z <- normal_quantile(conf_level)
  n <- (positives + negatives) / 2
  # The variance at theta, without its factor 1 - theta.
  part <- function(theta) {
    theta * (1 + (n - 1) * ((1 - theta) / (2 - theta) + theta / (1 + theta))) /
      (positives * negatives)
  }
  lower <- function(auc) {
    outside <- function(theta) (auc - theta)^2 - z^2 * (1 - theta) * part(theta)
    # At 1, a factor 1 - theta of both sides would be a root of its own.
    if (auc == 1) outside <- function(theta) 1 - theta - z^2 * part(theta)
    if (auc == 0) 0 else stats::uniroot(outside, c(0, auc), tol = 1e-14)$root
  }
  list(lower = lower(auc), upper = 1 - lower(1 - auc))
}

# --- the delta method --------------------------------------------------------

delta_methods <- c(
  identity = "delta", logit = "delta (logit)", fisher = "delta (Fisher z)", log = "delta (log)"
)

# Symmetric on a scale on which the estimate is unbounded, so that it stays within its range.
delta_interval <- function(estimate, std_error, scale, conf_level) {
  shift <- c(-1, 1) * normal_quantile(conf_level) * std_error
  ends <- switch(scale,
    identity = estimate + shift,
    logit = stats::plogis(stats::qlogis(estimate) + shift / (estimate * (1 - estimate))),
    fisher = tanh(atanh(estimate) + shift / (1 - estimate^2)),
    log = estimate * exp(shift / estimate)
  )
  list(lower = ends[[1]], upper = ends[[2]])
}

# Where the scale has no number for the estimate.
is_at_end <- function(estimate, scale) {
  switch(scale,
    identity = FALSE, logit = estimate <= 0 || estimate >= 1, fisher = abs(estimate) >= 1,
    log = estimate <= 0
  )
}

# The standard error of an estimate from its influence function: to first order the estimate moves
# by sum(w * influence) / sum(w). Hampel (1974); with case weights, the rows are the sample.
influence_error <- function(influence, weights) {
  sqrt(sum((weights * influence)^2)) / sum(weights)
}

# Rounding leaves traces of a variance that is 0.
is_zero_error <- function(std_error) std_error < 1e-12

# How many unweighted trials would give the proportion its variance: Korn and Graubard (1998); where
# that variance is 0, Kish's (1965). `squares` are sums of squared weights.
effective_trials <- function(successes, trials, success_squares, squares) {
  failures <- trials - successes
  failures[failures < 1e-14 * trials] <- 0
  variance <- (success_squares * failures^2 + (squares - success_squares) * successes^2) / trials^4
  ifelse(variance > 0, successes * failures / trials^2 / variance, trials^2 / squares)
}

normal_quantile <- function(conf_level) stats::qnorm((1 + conf_level) / 2)

check_conf_level <- function(conf_level) {
  if (!is_number(conf_level) || conf_level < 0.01 || conf_level > 0.999999) {
    refuse_argument(
      "`conf_level` must be one number from 0.01 to 0.999999.",
      fix = "0.95 is usual; beyond the limits rounding decides where an interval ends."
    )
  }
}
