# The Brier score on Brier's own scale, and its decomposition over bins.

# Brier (1950) sums over the classes; of two, both count.
on_sum_scale <- function(brier) {
  brier$metric <- "brier_score_sum"
  numbers <- c("estimate", "std_error", "lower", "upper")
  brier[numbers] <- 2 * brier[numbers]
  brier
}

# Murphy (1973), and the terms within bins of Stephenson, Coelho and Jolliffe (2008), of one event.
brier_terms <- function(sums) {
  sums <- sums[sums[, "weight"] > 0, , drop = FALSE]
  weight <- sums[, "weight"]
  predicted <- sums[, "score"] / weight
  observed <- sums[, "happened"] / weight
  prevalence <- sum(sums[, "happened"]) / sum(weight)
  terms <- c(
    reliability = sum(weight * (predicted - observed)^2),
    resolution = sum(weight * (observed - prevalence)^2),
    uncertainty = sum(weight) * prevalence * (1 - prevalence),
    within_bin_variance = sum(sums[, "squares"] - weight * predicted^2),
    within_bin_covariance = 2 * sum(sums[, "products"] - weight * predicted * observed)
  ) / sum(weight)
  terms <- without_dust(terms)
  c(terms, generalized_resolution = sum(terms[c(2, 5)]) - terms[[4]])
}

# Of two classes that of the positive one; of more, half the sum over the classes.
brier_terms_of <- function(events, sums) {
  of_class <- vapply(events, `[[`, "", "estimator") == "one_vs_rest"
  if (!any(of_class)) {
    return(brier_terms(sums[[1]]))
  }
  Reduce(`+`, lapply(sums[of_class], brier_terms)) / 2
}

# `draws` are the terms of bootstrap samples.
brier_opinions <- function(predictions, events, draws, conf_level) {
  sums <- lapply(events, sums_by_bin, weights_of(predictions))
  terms <- brier_terms_of(events, sums)
  binary <- !is.null(facts(predictions)$positive)
  rows <- lapply(names(terms), function(term) {
    if (term == "uncertainty") {
      of_task <- if (binary) binary_uncertainty else multiclass_uncertainty
      return(of_task(predictions, terms[[term]], conf_level))
    }
    basic_opinion(
      paste0("brier_", term), if (binary) "binary" else "multiclass", terms[[term]],
      draws[, term], conf_level, term_range(term, length(facts(predictions)$classes))
    )
  })
  do.call(rbind, rows)
}

# No prevalences of k classes leave more to be resolved than equal ones.
term_range <- function(term, k) {
  switch(term,
    resolution = c(0, (1 - 1 / k) / 2), generalized_resolution = c(-Inf, (1 - 1 / k) / 2),
    within_bin_covariance = c(-Inf, Inf), c(0, 1)
  )
}

# The samples lie around the estimate as the estimate lies around the truth, bias included; where
# the estimate is the greatest possible, they lie below it, and so may the truth.
basic_opinion <- function(metric, estimator, estimate, draws, conf_level, range) {
  found <- bootstrap_opinion(metric, estimator, estimate, without_rounding(draws), conf_level)
  if (is.na(found$lower)) {
    return(found)
  }
  lower <- max(min(2 * estimate - found$upper, found$lower), range[[1]])
  upper <- min(max(2 * estimate - found$lower, estimate), range[[2]])
  if (lower >= upper) {
    return(opinion(metric, estimator, estimate, reason = at_bound))
  }
  found[c("lower", "upper")] <- list(lower, upper)
  found$method <- "bootstrap (basic)"
  found
}

at_bound <- "no interval: the estimate is the least possible"

# Sums in another order differ by their rounding.
without_rounding <- function(draws) signif(draws, 12)

# Rounding leaves traces of a number that is 0.
without_dust <- function(x) {
  x[abs(x) < 1e-14] <- 0
  x
}

# p (1 - p) of the prevalence p: its ends are where p is furthest from and nearest to a half.
binary_uncertainty <- function(predictions, estimate, conf_level) {
  event <- positive_event(predictions)
  weights <- weights_of(predictions)
  happened <- event$occurs(as.integer(predictions$true_label))
  prevalence <- weighted_mean(happened, weights)
  trials <- effective_trials(
    sum(weights * happened), sum(weights), sum(weights^2 * happened), sum(weights^2)
  )
  found <- proportion_opinion("brier_uncertainty", "binary", prevalence, trials, conf_level)
  ends <- c(found$lower, found$upper)
  nearest <- min(max(0.5, ends[[1]]), ends[[2]])
  found$estimate <- estimate
  found$std_error <- found$std_error * abs(1 - 2 * prevalence)
  found$lower <- min(ends * (1 - ends))
  found$upper <- nearest * (1 - nearest)
  found
}

# Half of 1 - sum of p_k^2, over the prevalences p_k.
multiclass_uncertainty <- function(predictions, estimate, conf_level) {
  truth <- as.integer(predictions$true_label)
  weights <- weights_of(predictions)
  k <- length(facts(predictions)$classes)
  prevalence <- vapply(seq_len(k), function(class) weighted_mean(truth == class, weights), 0)
  influence <- sum(prevalence^2) - prevalence[truth]
  found <- delta_opinion(
    "brier_uncertainty", "multiclass", estimate, influence_error(influence, weights), "logit",
    conf_level
  )
  found$upper <- min(found$upper, (1 - 1 / k) / 2)
  found
}
