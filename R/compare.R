#' Two models, compared
#'
#' The difference `a - b` of every headline number of two models, each with its
#' standard error, interval and test: on the same rows (paired), or on
#' different ones. caret has a function of the same name: after
#' `library(caret)`, write `rside::compare_models()`.
#'
#' @param a,b The tables of the two models: each what [validate()] takes. Both
#'   must have the same classes in the same order and the same positive class;
#'   each model decides by its own threshold or `pred_label`.
#' @param paired `TRUE` where both models judged the same rows, `FALSE` where
#'   the rows are different ones, independent of each other.
#' @param interval `"delta"`: from the influence of every row, with the
#'   exceptions below; or `"bootstrap"`: percentiles of samples stratified by
#'   the true class. Of paired rows, both models are computed on the same
#'   samples.
#' @param names How the two models are called in text and plots.
#' @param proportions The interval of paired proportions under `"delta"`:
#'   `"newcombe"` or `"tango"`, which excludes 0 exactly where McNemar's test
#'   without correction rejects equality.
#' @inheritParams auc_ci
#' @return An object of class `rside_comparison`: a list with
#'   * `differences`: a data frame with a row per number: `metric`,
#'     `estimator`, the estimates `a` and `b`, `difference` (a - b),
#'     `std_error`, `lower`, `upper`, `statistic`, `df` (`NA` where the
#'     statistic is normal), `p_value` (two-sided), `method` (of the interval)
#'     and `reason` (why something is undefined or left out);
#'   * `tests`: a data frame of `test`, `statistic`, `df`, `p_value`, `reason`:
#'     whether both models are right equally often;
#'   * `roc`: of two classes, the curve of each model, see [roc_curve()], with
#'     at most 1000 points; otherwise `NULL`;
#'   * `matched`: `"id"`, `"position"` or `"none"`; `n`, the rows of `a` and `b`;
#'     `paired`, `names`, `classes`, `positive`, `conf_level`, `interval`;
#'     `replicates` and `seed` of the bootstrap, if there was one;
#'   * `notes`: a data frame of `code` and `text`.
#'
#'   `as.data.frame()` gives `differences`.
#' @section Matching:
#'   Paired rows are matched by `id`, whatever their order. Both tables must
#'   hold the same ids, and a row the same truth and weight in both: what
#'   differs is refused, and named. Where neither table has ids, rows are
#'   matched by position, if the truth is the same in every row, and a note
#'   says so.
#' @section Intervals and tests:
#'   With `interval = "delta"`:
#'   * `roc_auc` of two classes, paired: the test of DeLong et al., as in
#'     [pROC::roc.test()]; not paired: pROC's too, by the t distribution with
#'     Welch's degrees of freedom;
#'   * `accuracy`, `sensitivity`, `specificity`: Newcombe's or Tango's
#'     interval. The statistic is that of McNemar's test without correction,
#'     or, not paired, of the test of two proportions;
#'   * all others: the difference, plus and minus a normal quantile times its
#'     standard error. Of means over the rows (`log_loss`, `brier_score`) it is
#'     that of the paired z test.
#'
#'   With `interval = "bootstrap"` the statistic is the difference divided by
#'   the standard deviation over the samples, which take the size of each true
#'   class as given.
#'
#'   A difference whose variance is 0, such as that of the AUCs of a model and
#'   itself, has no interval and no p-value; Newcombe's and Tango's intervals do
#'   not rest on it. No interval reaches beyond the greatest difference that two
#'   values can have. p-values are not adjusted for the number of
#'   metrics: choose one beforehand.
#'
#'   `tests` has, of paired rows, McNemar's test without and with continuity
#'   correction (`mcnemar`, `mcnemar_corrected`) and by the binomial
#'   distribution (`mcnemar_exact`; the statistic is the larger count); of
#'   different rows, the chi-squared test without and with Yates' correction
#'   (`two_proportions`, `two_proportions_corrected`) and Fisher's
#'   (`fisher_exact`; the statistic is the odds ratio).
#' @section Case weights:
#'   Rows count by their `weight` in estimates, delta and bootstrap intervals
#'   alike. Newcombe's and Tango's intervals and the tests are not defined with
#'   case weights: the delta method stands in for the former.
#' @section Errors:
#'   Tables that cannot be compared raise an [rside_error] of the class
#'   `rside_error_argument`, which names what differs. A table that breaks the
#'   contract raises one of the class `rside_error_<check>`.
#' @references
#' DeLong et al. (1988) \doi{10.2307/2531595} for AUCs; Newcombe (1998)
#' \doi{10.1002/(SICI)1097-0258(19981130)17:22<2635::AID-SIM954>3.0.CO;2-C} and
#' Tango (1998)
#' \doi{10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B} for
#' paired proportions; Newcombe (1998)
#' \doi{10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I} for
#' independent ones; McNemar (1947) \doi{10.1007/BF02295996}; Hampel (1974)
#' \doi{10.1080/01621459.1974.10482962} for influence functions; Efron (1979)
#' \doi{10.1214/aos/1176344552} for the bootstrap.
#' @seealso [validate()] for one model.
#' @examples
#' path <- system.file("extdata", "preds.csv", package = "rside")
#' a <- read_predictions(path)
#' b <- as.data.frame(a)
#' b$pred_prob_dog <- b$pred_prob_dog^2
#' b$pred_prob_cat <- 1 - b$pred_prob_dog
#' compared <- compare_models(a, b, positive = "dog", names = c("plain", "squared"))
#' compared
#' autoplot(compared)
#' @export
compare_models <- function(a, b, paired = TRUE, positive = NULL, conf_level = 0.95,
                           interval = c("delta", "bootstrap"), replicates = 2000, seed = 1,
                           names = c("a", "b"), proportions = c("newcombe", "tango")) {
  check_conf_level(conf_level)
  check_bootstrap(replicates, seed)
  interval <- one_of(interval, c("delta", "bootstrap"), "interval")
  proportions <- one_of(proportions, c("newcombe", "tango"), "proportions")
  check_comparison(paired, names, proportions)
  a <- predictions_of(a, positive)
  b <- predictions_of(b, positive)
  check_same_task(a, b, names)
  if (paired) b <- matched_to(a, b, names)
  precision <- if (interval == "bootstrap") {
    bootstrap_precision(a, b, paired, conf_level, replicates, seed)
  } else {
    delta_precision(a, b, paired, conf_level, proportions)
  }
  known <- facts(a)
  differences <- difference_rows(a, b, names, precision)
  structure(
    list(
      differences = differences,
      tests = correctness_tests(a, b, paired), roc = thin_rocs(a, b, conf_level),
      matched = if (!paired) "none" else if ("id" %in% names(a)) "id" else "position",
      n = c(a = nrow(a), b = nrow(b)), paired = paired, names = names,
      classes = known$classes, positive = known$positive, conf_level = conf_level,
      interval = interval, replicates = if (interval == "bootstrap") replicates,
      seed = if (interval == "bootstrap") seed,
      notes = comparison_notes(a, b, paired, names, differences)
    ),
    class = c("rside_comparison", "rside_result")
  )
}

check_comparison <- function(paired, names, proportions) {
  if (!isTRUE(paired) && !isFALSE(paired)) {
    refuse_argument("`paired` must be TRUE or FALSE.")
  }
  if (!are_names(names)) {
    refuse_argument("`names` must be two different texts, one for each model.")
  }
  if (proportions == "tango" && !paired) {
    refuse_argument(
      "Tango's interval is defined for paired rows.", fix = "Use `proportions = \"newcombe\"`."
    )
  }
}

are_names <- function(x) {
  is.character(x) && length(x) == 2 && !anyNA(x) && all(nzchar(x)) && !anyDuplicated(x)
}

thin_rocs <- function(a, b, conf_level) {
  if (is.null(facts(a)$positive)) {
    return(NULL)
  }
  lapply(list(a = a, b = b), function(predictions) {
    roc <- roc_of(predictions, conf_level)
    roc$curve <- thinned(roc$curve)
    roc
  })
}
