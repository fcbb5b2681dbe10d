# The bootstrap, stratified by the true class. A sample is drawn as how often each row occurs, so
# that whatever takes case weights takes a sample.

bootstrap_method <- "bootstrap (percentile)"

# One row per sample, one column per statistic. `statistic` takes weights and gives numbers.
bootstrap <- function(statistic, strata, weights, replicates, seed) {
  members <- split(seq_along(strata), strata, drop = TRUE)
  progress <- cli::cli_progress_bar("Bootstrap samples", total = replicates)
  on.exit(cli::cli_progress_done(id = progress))
  draws <- with_seed(seed, lapply(seq_len(replicates), function(i) {
    times <- weights
    for (rows in members) {
      n <- length(rows)
      times[rows] <- weights[rows] * tabulate(sample.int(n, n, replace = TRUE), n)
    }
    cli::cli_progress_update(id = progress)
    statistic(times)
  }))
  do.call(rbind, draws)
}

# Efron's percentile interval; the estimate stays that of the table.
bootstrap_opinion <- function(metric, estimator, estimate, draws, conf_level,
                              class = NA_character_, reason = NA_character_) {
  draws <- draws[!is.na(draws)]
  if (is.na(estimate) || length(draws) < 2 || diff(range(draws)) == 0) {
    without <- if (!is.na(estimate)) no_spread else NA_character_
    return(opinion(metric, estimator, estimate, class, reason = join_reasons(reason, without)))
  }
  tail <- (1 - conf_level) / 2
  ends <- stats::quantile(draws, c(tail, 1 - tail), names = FALSE)
  if (is_zero_error(diff(ends))) {
    ends <- c(NA_real_, NA_real_)
    reason <- join_reasons(reason, little_spread)
  }
  # The samples of a number that they bias may all lie on one side of it.
  ends <- c(min(ends[[1]], estimate), max(ends[[2]], estimate))
  opinion(
    metric, estimator, estimate, class, stats::sd(draws), ends[[1]], ends[[2]],
    bootstrap_method, reason
  )
}

no_spread <- "no interval: every bootstrap sample gives the same number"

# The percentiles coincide: the samples differ too rarely to show how precise the number is.
little_spread <- "no interval: nearly every bootstrap sample gives the same number"

# The caller's own stream of random numbers goes on as if nothing had been drawn.
with_seed <- function(seed, expr) {
  before <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit(
    if (is.null(before)) {
      rm(".Random.seed", envir = globalenv())
    } else {
      assign(".Random.seed", before, globalenv())
    }
  )
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  expr
}

check_bootstrap <- function(replicates, seed) {
  if (!is_number(replicates) || replicates < 2 || replicates != round(replicates)) {
    refuse_argument(
      "`replicates` must be a whole number of at least 2.",
      fix = "2000 are usual; fewer give a rough interval quickly."
    )
  }
  if (!is_number(seed) || seed != round(seed) || abs(seed) > .Machine$integer.max) {
    refuse_argument("`seed` must be a whole number that fits an integer.")
  }
}
