#' Whether probabilities hold: calibration
#'
#' Compares predicted probabilities with how often the event happened: the Brier
#' score and its decomposition, calibration intercept and slope, the reliability
#' curve, the expected calibration error, and two tests.
#'
#' With two classes the event is the positive class. With more there is one event
#' for each class against the rest (`one_vs_rest`), and one for the decision being
#' right, whose probability is that of the decided class (`top_label`).
#'
#' caret has a function of the same name: after `library(caret)`, write
#' `rside::calibration()`.
#'
#' @inheritParams confusion
#' @param bins How many bins the scores are divided into.
#' @param binning `"quantile"`: bins of equally many rows (by weight); equal scores
#'   are never divided, so that a bin can be larger, and another empty. Or
#'   `"width"`: bins of equal width from 0 to 1, of which a score on an edge belongs
#'   to the lower one. Empty bins are left out and counted.
#' @param replicates How many bootstrap samples, and how many simulated truths.
#' @param seed The same seed gives the same intervals. The session's own random
#'   numbers are left as they were.
#' @return An object of class `rside_calibration`: a list with
#'   * `values`: a data frame of `metric`, `estimator`, `class`, `estimate`,
#'     `std_error`, `lower`, `upper`, `method` (of the interval), `reason`; see the
#'     section "Values";
#'   * `curve`: the reliability curve, one row per event and bin that is not empty:
#'     `estimator`, `class`, `bin`, `from` and `to` (the edges; of a quantile bin
#'     its smallest and greatest score), `n` (rows), `share` (of the weight),
#'     `predicted` (the mean score), `observed` (the share of events) with its
#'     Wilson interval `lower`, `upper`;
#'   * `empty_bins`: per event, how many bins are empty;
#'   * `expected_if_calibrated`: per calibration error its `estimate`, and, had the
#'     truth been drawn from these very probabilities, the mean (`expected`) and the
#'     central range (`lower`, `upper`) of what it would be;
#'   * `tests`: a data frame of `test`, `statistic`, `df`, `p_value`, `reason`;
#'   * `histogram`: how many scores lie in each fortieth of 0 to 1, for the plot;
#'   * `bins`, `binning`, `counts` (rows of each class in the truth), `classes`,
#'     `positive`, `n`, `conf_level`, `replicates`, `seed`;
#'   * `warning`: how often such intervals failed in simulated tables with as few
#'     rows of a class; empty where they did not, and where they were not
#'     simulated, as with more than two classes.
#'
#'   `as.data.frame()` gives `values`.
#' @section Values:
#'   * `brier_score`, halved, in \[0, 1\], and `brier_score_sum` on Brier's own
#'     scale, the sum over the classes, in \[0, 2\]; `log_loss`;
#'   * `brier_reliability` (small is good), `brier_resolution` (great is good) and
#'     `brier_uncertainty` of Murphy, with the two terms that Stephenson, Coelho and
#'     Jolliffe add where the scores within a bin differ. Over the stated bins, the
#'     halved score is exactly reliability - resolution + uncertainty +
#'     `brier_within_bin_variance` - `brier_within_bin_covariance`, and also
#'     reliability - `brier_generalized_resolution` + uncertainty. With more than
#'     two classes each is half the sum over the classes;
#'   * `calibration_intercept`, calibration in the large: the intercept of a logistic
#'     regression of the event with the logit of the score as offset; 0 is ideal,
#'     above 0 the scores are too low;
#'   * `calibration_slope`: the coefficient of that logit; 1 is ideal, below 1 the
#'     scores are too extreme. The intercept of this second model is not the one
#'     reported. Scores are kept at least 2^-52 away from 0 and 1, and `reason` says
#'     of how many rows;
#'   * `expected_calibration_error`: the mean over the bins, by their weight, of the
#'     distance between `observed` and `predicted`; `maximum_calibration_error`: the
#'     greatest distance. With more than two classes the `macro` error is the mean
#'     over the classes.
#'
#'   The calibration errors depend on the bins, and are biased upwards, the more so
#'   the fewer rows a bin holds: read `expected_if_calibrated` beside them.
#' @section When undefined:
#'   Intercept and slope need an event that happened and one that did not. The slope
#'   is undefined where all scores are equal, and where the scores separate the
#'   events from the rest (it would be infinite); the intercept where the fit is
#'   perfect to within rounding (every score is 0 or 1, and right). Everything else
#'   is defined for any table.
#' @section Intervals:
#'   The scores: delta method. The terms of the decomposition: the basic bootstrap,
#'   since the percentiles of a biased number miss it; the uncertainty, which is a
#'   function of the prevalence: that of the prevalence with two classes, the delta
#'   method with more. Intercept and slope: Wald's, by the model, and by the sandwich
#'   with case weights. The calibration errors: the multiples of the observed errors
#'   for which the estimate is not unusual among bootstrap samples (test inversion);
#'   the interval begins at 0 where the estimate is not unusual among the simulated
#'   truths. Bins stay where they are, and samples are not stratified: that a class
#'   is as frequent as it was predicted is what is in question.
#' @section Tests:
#'   * `hosmer_lemeshow`: over `bins` quantile groups of the score, with as many
#'     degrees of freedom as there are groups, which holds for a model that was not
#'     fitted to these rows; for a model fitted to them, it would be two less. Two
#'     classes only. A chi-square approximation that wants about five expected events
#'     and as many non-events in a group;
#'   * `spiegelhalter`: whether the Brier score is what it would be if the
#'     probabilities held; two-sided, `statistic` is a standard normal z.
#' @inheritSection as_predictions Errors
#' @inheritSection confusion Case weights
#' @references
#' Brier (1950) \doi{10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2} and Good (1952)
#' \doi{10.1111/j.2517-6161.1952.tb00104.x} for the scores; Murphy (1973)
#' \doi{10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2} and Stephenson, Coelho and
#' Jolliffe (2008) \doi{10.1175/2007WAF2006116.1} for the decomposition; Cox (1958)
#' \doi{10.1093/biomet/45.3-4.562} and Van Calster et al. (2016)
#' \doi{10.1016/j.jclinepi.2015.12.005} for intercept and slope, White (1982)
#' \doi{10.2307/1912526} for the sandwich; Naeini, Cooper and Hauskrecht (2015)
#' \doi{10.1609/aaai.v29i1.9602} and Guo et al. (2017)
#' \doi{10.48550/arXiv.1706.04599} for the calibration errors, Nixon et al. (2019)
#' \doi{10.48550/arXiv.1904.01685} for their bias and bins, Kull et al. (2019)
#' \doi{10.48550/arXiv.1910.12656} for the mean over the classes, Bröcker and Smith
#' (2007) \doi{10.1175/WAF993.1} for the simulated truths; Carpenter and Bithell
#' (2000), Statistics in Medicine 19, 1141-1164, for basic and inverted bootstrap;
#' Hosmer and Lemeshow (1980) \doi{10.1080/03610928008827941}, Hosmer, Lemeshow and
#' Sturdivant (2013) \doi{10.1002/9781118548387} for the degrees of freedom;
#' Spiegelhalter (1986) \doi{10.1002/sim.4780050506}.
#' @examples
#' path <- system.file("extdata", "preds.csv", package = "rside")
#' found <- calibration(path, bins = 5, replicates = 200)
#' found
#' found$curve
#' autoplot(found)
#' @export
calibration <- function(predictions, positive = NULL, bins = 10,
                        binning = c("quantile", "width"), conf_level = 0.95, replicates = 1000,
                        seed = 1) {
  check_bins(bins)
  binning <- one_of(binning, c("quantile", "width"), "binning")
  check_conf_level(conf_level)
  check_bootstrap(replicates, seed)
  predictions <- predictions_of(predictions, positive)
  known <- facts(predictions)
  events <- calibration_events(predictions, bins, binning)
  weights <- weights_of(predictions)
  draws <- calibration_draws(events, weights, replicates, seed)
  errors <- calibration_errors(predictions, events, draws$gaps, conf_level, replicates, seed)
  values <- calibration_values(predictions, events, draws$terms, errors$opinions, conf_level)
  counts <- class_counts_of(predictions)
  structure(
    list(
      values = values,
      curve = bind_rows_of(events, curve_rows, weights, binning, bins, conf_level),
      empty_bins = bind_rows_of(events, empty_bins, bins),
      expected_if_calibrated = errors$expected,
      tests = calibration_tests(predictions, bins),
      histogram = bind_rows_of(events, histogram_rows),
      bins = bins, binning = binning,
      counts = counts, classes = known$classes, positive = known$positive, n = nrow(predictions),
      conf_level = conf_level, replicates = replicates, seed = seed,
      warning = low_coverage(counts, values, weighted = is_weighted(predictions))
    ),
    class = c("rside_calibration", "rside_result")
  )
}

check_bins <- function(bins) {
  if (!is_number(bins) || bins < 1 || bins != round(bins)) {
    refuse_argument("`bins` must be a whole number of at least 1.", fix = "10 are usual.")
  }
}

calibration_values <- function(predictions, events, terms, errors, conf_level) {
  weights <- weights_of(predictions)
  scores <- probability_opinions(predictions, conf_level)
  brier <- scores[scores$metric == "brier_score", ]
  of_classes <- Filter(function(event) event$estimator != "top_label", events)
  recalibrated <- lapply(of_classes, recalibration_opinions, weights, conf_level)
  values <- rbind(
    brier, on_sum_scale(brier), scores[scores$metric == "log_loss", ],
    brier_opinions(predictions, events, terms, conf_level), do.call(rbind, recalibrated), errors
  )
  of_class <- !is.na(values$class)
  values <- rbind(
    values[!of_class, ], by_class_order(values[of_class, ], facts(predictions)$classes)
  )
  rownames(values) <- NULL
  values
}

# --- events: what happened or not, each with its predicted probability ------------------------

# `occurs` says of any truth, as numbers of the classes, where the event happens; `absent` why
# nothing follows if it never, or always, does.
calibration_events <- function(predictions, bins, binning) {
  known <- facts(predictions)
  events <- if (is.null(known$positive)) {
    c(list(top_label_event(predictions)), lapply(known$classes, class_event, predictions))
  } else {
    list(positive_event(predictions))
  }
  truth <- as.integer(predictions$true_label)
  weights <- weights_of(predictions)
  lapply(events, function(event) {
    event$happened <- event$occurs(truth)
    event$bin <- bin_of(event$score, weights, bins, binning)
    event
  })
}

positive_event <- function(predictions) {
  known <- facts(predictions)
  positive <- match(known$positive, known$classes)
  list(
    estimator = "binary", class = NA_character_, score = score_of(predictions, known$positive),
    occurs = function(truth) truth == positive,
    absent = only_in_truth(known$classes[c(3 - positive, positive)])
  )
}

class_event <- function(class, predictions) {
  number <- match(class, facts(predictions)$classes)
  list(
    estimator = "one_vs_rest", class = class, score = score_of(predictions, class),
    occurs = function(truth) truth == number,
    absent = c(lacks(class, not_in_truth), only_in_truth(class))
  )
}

top_label_event <- function(predictions) {
  decision <- as.integer(decision_of(predictions))
  list(
    estimator = "top_label", class = NA_character_,
    score = probabilities_of(predictions)[cbind(seq_along(decision), decision)],
    occurs = function(truth) truth == decision
  )
}

# One data frame of what `rows` gives for every event, with the event named.
bind_rows_of <- function(events, rows, ...) {
  do.call(rbind, lapply(events, function(event) {
    data.frame(
      estimator = event$estimator, class = event$class, rows(event, ...), row.names = NULL,
      stringsAsFactors = FALSE
    )
  }))
}

# --- methods ---------------------------------------------------------------------------------

#' @export
as.data.frame.rside_calibration <- function(x, ...) x$values

#' @rdname results
#' @export
tidy.rside_calibration <- function(x, ...) tidy_opinions(x$values)

#' @rdname results
#' @export
glance.rside_calibration <- function(x, ...) {
  columns <- c(
    "brier_score", "log_loss", "calibration_intercept", "calibration_slope",
    "expected_calibration_error"
  )
  data.frame(
    n = x$n, classes = length(x$classes), positive = x$positive %||% NA_character_,
    glance_opinions(x$values, columns), bins = x$bins, binning = x$binning,
    conf.level = x$conf_level
  )
}

#' @export
format.rside_calibration <- function(x, ...) {
  c(
    paste0("<calibration: ", count_of(x$n, "row"), ", ", length(x$classes), " classes>"),
    if (!is.null(x$positive)) paste0("positive class: '", x$positive, "'"),
    format_binning(x),
    "",
    paste0("metric (estimator), ", format_percent(x$conf_level), " interval"),
    format_opinions(x$values),
    "",
    "tests",
    format_tests(x$tests),
    "",
    format_expected(x$expected_if_calibrated, x$conf_level),
    format_warning(x$warning)
  )
}

format_binning <- function(x) {
  kind <- c(quantile = " of equal counts", width = " of equal width")[[x$binning]]
  empty <- sum(x$empty_bins$empty)
  paste0(count_of(x$bins, "bin"), kind, if (empty > 0) paste0(", ", format_count(empty), " empty"))
}

# The first calibration error is that of the whole table.
format_expected <- function(expected, conf_level) {
  of_table <- expected[1, ]
  strwrap(paste0(
    "If the probabilities held, the expected calibration error (", of_table$estimator,
    ") would be ", sprintf("%.4f", of_table$expected), " on average, and in ",
    format_percent(conf_level), " of tables between ", sprintf("%.4f", of_table$lower), " and ",
    sprintf("%.4f", of_table$upper), "."
  ), 80)
}
