# Expected and maximum calibration error: the size of the gaps between what was observed and what
# was predicted in the bins.

# Terms and gaps of bootstrap samples, one row per sample. Bins stay as they are. The samples are
# not stratified by class: the prevalence is part of what is in question.
calibration_draws <- function(events, weights, replicates, seed) {
  statistic <- function(times) {
    sums <- lapply(events, sums_by_bin, times)
    c(brier_terms_of(events, sums), gaps_of(sums))
  }
  draws <- bootstrap(statistic, rep(1L, length(weights)), weights, replicates, seed)
  is_term <- seq_len(ncol(draws)) <= 6
  list(terms = draws[, is_term], gaps = draws[, !is_term, drop = FALSE])
}

# Observed less predicted, for every bin of every event in turn; NaN where a sample has no row.
gaps_of <- function(sums) {
  unlist(lapply(sums, function(sum) (sum[, "happened"] - sum[, "score"]) / sum[, "weight"]))
}

calibration_errors <- function(predictions, events, draws, conf_level, replicates, seed) {
  weights <- weights_of(predictions)
  sums <- lapply(events, sums_by_bin, weights)
  gaps <- gaps_of(sums)
  simulated <- simulated_gaps(predictions, events, weights, replicates, seed)
  tail <- (1 - conf_level) / 2
  errors <- error_sizes(events, sums)
  found <- lapply(errors, function(error) {
    at <- error$columns
    estimate <- error$size(t(gaps[at]))
    chance <- error$size(simulated[, at, drop = FALSE])
    range <- stats::quantile(chance, c(tail, 1 - tail), names = FALSE)
    of_error <- error[c("metric", "estimator", "class")]
    list(
      opinion = error_opinion(
        of_error, estimate, error$size, gaps[at], draws[, at, drop = FALSE], range[[2]], tail
      ),
      expected = data.frame(
        of_error, estimate = estimate, expected = mean(chance), lower = range[[1]],
        upper = range[[2]], stringsAsFactors = FALSE
      )
    )
  })
  list(
    opinions = do.call(rbind, lapply(found, `[[`, "opinion")),
    expected = do.call(rbind, lapply(found, `[[`, "expected"))
  )
}

# Every error as a function of gaps, one row per sample, and the columns of its own gaps.
error_sizes <- function(events, sums) {
  event_of <- rep(seq_along(sums), vapply(sums, nrow, 0L))
  weight <- unlist(lapply(sums, function(sum) sum[, "weight"]))
  mean_gap <- function(columns) {
    share <- weight[columns] / sum(weight[columns])
    function(gaps) drop(abs(gaps) %*% share)
  }
  error <- function(metric, estimator, class, columns, size) {
    list(metric = metric, estimator = estimator, class = class, columns = columns, size = size)
  }
  each <- Map(function(event, i) {
    at <- which(event_of == i)
    named <- function(metric, size) error(metric, event$estimator, event$class, at, size)
    list(
      named("expected_calibration_error", mean_gap(at)),
      named("maximum_calibration_error", function(gaps) apply(abs(gaps), 1, max))
    )
  }, events, seq_along(events))
  of_classes <- which(vapply(events, `[[`, "", "estimator") == "one_vs_rest")
  at <- which(event_of %in% of_classes)
  # Every class has the same weight in all: the mean over all bins is the mean over the classes.
  macro <- if (length(of_classes) > 0) {
    list(error("expected_calibration_error", "macro", NA_character_, at, mean_gap(at)))
  }
  c(each[[1]], macro, unlist(each[-1], recursive = FALSE))
}

# Truths drawn from the probabilities themselves: Broecker and Smith (2007).
simulated_gaps <- function(predictions, events, weights, replicates, seed) {
  probabilities <- probabilities_of(predictions)
  k <- ncol(probabilities)
  for (class in seq_len(k - 1)[-1]) {
    probabilities[, class] <- probabilities[, class] + probabilities[, class - 1]
  }
  at_most <- probabilities[, -k, drop = FALSE]
  gaps <- with_seed(seed, lapply(seq_len(replicates), function(i) {
    truth <- 1 + rowSums(stats::runif(nrow(at_most)) > at_most)
    gaps_of(lapply(events, function(event) sums_by_bin(event, weights, event$occurs(truth))))
  }))
  do.call(rbind, gaps)
}

# `chance` is what the error of calibrated probabilities hardly exceeds.
error_opinion <- function(of_error, estimate, size, gaps, draws, chance, tail) {
  noise <- sweep(draws, 2, gaps)
  noise[is.na(noise)] <- 0
  sizes <- without_rounding(size(sweep(noise, 2, gaps, `+`)))
  without <- if (diff(range(sizes)) == 0) {
    no_spread
  } else if (estimate == 0) {
    at_bound
  }
  if (!is.null(without)) {
    return(with(of_error, opinion(metric, estimator, estimate, class, reason = without)))
  }
  # A multiple of the estimate: the one for which the estimate is this quantile of the samples.
  multiple <- function(probability) {
    excess <- function(factor) {
      moved <- size(sweep(noise, 2, factor * gaps, `+`))
      stats::quantile(moved, probability, names = FALSE) - estimate
    }
    if (excess(0) >= 0) {
      return(0)
    }
    high <- 1
    while (excess(high) < 0) high <- 2 * high
    stats::uniroot(excess, c(0, high), tol = 1e-6)$root
  }
  lower <- if (estimate <= chance) 0 else min(1, multiple(1 - tail)) * estimate
  upper <- min(1, max(1, multiple(tail)) * estimate)
  with(of_error, opinion(
    metric, estimator, estimate, class, stats::sd(sizes), lower, upper,
    "bootstrap (test inversion)"
  ))
}
