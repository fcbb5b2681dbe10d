#' Operating points: thresholds, and what each is worth
#'
#' Chooses thresholds by rules that look along the ROC curve, adds stated ones,
#' and gives every number of the decision that each makes.
#'
#' A row is called positive where the score of the positive class is
#' `>= threshold`. A threshold that is searched for is always an observed score,
#' or `Inf`, which calls nothing positive; it is never a midpoint between two
#' scores. A `pred_label` column is not used.
#'
#' The rules are
#'   * `youden`: the greatest sensitivity + specificity - 1;
#'   * `closest_topleft`: the least distance of the ROC curve to (0, 1), squared:
#'     (1 - sensitivity)^2 + (1 - specificity)^2;
#'   * `sensitivity`: the greatest threshold whose sensitivity is at least this;
#'   * `specificity`: the least threshold whose specificity is at least this;
#'   * `cost_ratio`: the least expected cost, r p (1 - sensitivity) +
#'     (1 - p) (1 - specificity), with r the cost ratio and p the prevalence;
#'   * `threshold`: as stated, and the table's own where it states one.
#'
#' **Ties.** Of thresholds that are equally good, to within 1e-12, the greatest
#' is taken: the one that calls the fewest rows positive.
#'
#' @section What the intervals cover:
#'   The intervals in `values` hold for the threshold as it stands. One that was
#'   chosen on the same rows makes them look better than they are: `optimism`
#'   says by how much. The choice is repeated in bootstrap samples, stratified by
#'   the true class; the optimism is the mean of what the chosen point is worth
#'   in its sample less what it is worth in the table. Its intervals are those
#'   of the corrected rates. Where 2,000 tables were simulated (two normal scores
#'   1.5 standard deviations apart, n of 50 and 200, prevalence 0.5 and 0.1, rule
#'   `youden`), the 95% interval of Youden's index covered what the chosen
#'   threshold is worth in new data 89% to 91% of the time as it stands, and 95%
#'   to 96% corrected; Wilson's of the sensitivity 90% to 92%, and 95% to 96%.
#'   Predictive values and ratios are not corrected.
#'
#'   The interval of a threshold is a bootstrap percentile interval whose ends
#'   are observed scores. In the same tables, at 95%, it covered the threshold
#'   that is best in the population 84% to 96% of the time with 20 rows or more
#'   of each class, but 40% to 68% with 5 positives: it is too short then.
#' @section When undefined:
#'   Without both classes in the truth no threshold can be searched for, and
#'   `reason` says so. A likelihood ratio or odds ratio is 0 or `Inf` where a
#'   cell of its table is empty, and has no interval then; it is `NA` where it
#'   would be 0 / 0. Nothing is ever added to a cell.
#' @inheritParams confusion
#' @inheritParams auc_ci
#' @param rules Which of `"youden"` and `"closest_topleft"`; `NULL` for neither.
#' @param sensitivity,specificity Targets above 0 and up to 1, one or several.
#' @param cost_ratio The cost of a missed positive over the cost of a false
#'   alarm, one or several.
#' @param prevalence Of the positive class where the threshold will be used,
#'   for `cost_ratio` only; by default that of the table.
#' @param threshold Stated thresholds in `[0, 1]`.
#' @return An object of class `rside_operating_points`: a list with
#'   * `points`: a data frame of `rule`, `target`, `threshold`, `lower`, `upper`,
#'     `method` (of the threshold's interval), `reason`;
#'   * `values`: a data frame of `rule`, `metric`, `estimator`, `class`,
#'     `estimate`, `std_error`, `lower`, `upper`, `method`, `reason`. Rates lie
#'     in `[0, 1]`, `youden_index` in `[-1, 1]`, likelihood ratios and the odds
#'     ratio in `[0, Inf]`;
#'   * `optimism`: a data frame of `rule`, `metric`, `apparent`, `optimism`,
#'     `corrected`, with `std_error`, `lower`, `upper`, `method` and `reason` of
#'     the corrected rate, for every rule that searches;
#'   * `curve`: `threshold`, `sensitivity`, `specificity`;
#'   * `counts`: the rows of the negative and the positive class, by name;
#'   * `positive`, `prevalence` (that of `cost_ratio`), `conf_level`;
#'   * `warning`: how often the intervals of the ratios failed in simulated
#'     tables with as few rows of a class; empty where they did not;
#'   * `replicates`, `seed`.
#'
#'   `as.data.frame()` gives `values`.
#' @inheritSection as_predictions Errors
#' @inheritSection confusion Case weights
#' @references
#' Youden (1950)
#' \doi{10.1002/1097-0142(1950)3:1<32::AID-CNCR2820030106>3.0.CO;2-3}; Perkins
#' and Schisterman (2006) \doi{10.1093/aje/kwj063} for the distance; Metz (1978)
#' \doi{10.1016/S0001-2998(78)80014-2} and Zweig and Campbell (1993)
#' \doi{10.1093/clinchem/39.4.561} for costs. Intervals: Newcombe (1998)
#' \doi{10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I},
#' method 10, for Youden's index; Simel, Samsa and Matchar (1991)
#' \doi{10.1016/0895-4356(91)90128-V} for likelihood ratios; Woolf (1955)
#' \doi{10.1111/j.1469-1809.1955.tb01348.x} for the odds ratio. Optimism: Efron
#' and Gong (1983) \doi{10.1080/00031305.1983.10483087}; Harrell, Lee and Mark
#' (1996)
#' \doi{10.1002/(SICI)1097-0258(19960229)15:4<361::AID-SIM168>3.0.CO;2-4}.
#' @seealso [roc_curve()], [confusion()] for the decisions that a table makes.
#' @examples
#' path <- system.file("extdata", "preds.csv", package = "rside")
#' points <- operating_points(path, sensitivity = 0.9, replicates = 100)
#' points
#' points$points
#' autoplot(points)
#' @export
operating_points <- function(predictions, rules = c("youden", "closest_topleft"),
                             sensitivity = NULL, specificity = NULL, cost_ratio = NULL,
                             prevalence = NULL, threshold = NULL, positive = NULL,
                             conf_level = 0.95, interval = c("exact", "wilson"),
                             replicates = 2000, seed = 1) {
  check_conf_level(conf_level)
  interval <- one_of(interval, c("exact", "wilson"), "interval")
  check_bootstrap(replicates, seed)
  check_rules(rules)
  up_to_1 <- "numbers above 0 and up to 1"
  check_targets(sensitivity, "sensitivity", up_to_1, sensitivity > 0 & sensitivity <= 1)
  check_targets(specificity, "specificity", up_to_1, specificity > 0 & specificity <= 1)
  check_targets(cost_ratio, "cost_ratio", "numbers above 0", cost_ratio > 0 & cost_ratio < Inf)
  check_targets(threshold, "threshold", "numbers in [0, 1]", threshold >= 0 & threshold <= 1)
  check_cost_prevalence(prevalence, cost_ratio)
  predictions <- predictions_of(predictions, positive)
  known <- facts(predictions)
  check_two_classes(
    known$classes, "Operating points are",
    "Make a table of one class against the rest, or merge the classes into two."
  )
  if (!is.null(cost_ratio)) prevalence <- prevalence %||% prevalence_of(predictions)
  searches <- search_rules(rules, sensitivity, specificity, cost_ratio, prevalence)
  stated <- unique(c(threshold, if (!"threshold" %in% known$assumed) known$threshold))
  if (length(searches) == 0 && length(stated) == 0) {
    refuse_argument(
      "There must be an operating point to look at.", "No rule, target or threshold is stated.",
      "State `rules`, `sensitivity`, `specificity`, `cost_ratio` or `threshold`."
    )
  }
  counts <- class_counts(predictions)
  searched <- search_points(predictions, searches, replicates, seed)
  points <- rbind(
    searched_points(searches, searched, only_in_truth(names(counts)[counts > 0]), conf_level),
    stated_points(stated)
  )
  values <- point_values(predictions, points, conf_level, interval)
  structure(
    list(
      points = points, values = values,
      optimism = point_optimism(predictions, points, searched, conf_level, interval),
      curve = searched$curve, counts = counts, positive = known$positive,
      prevalence = prevalence, conf_level = conf_level,
      replicates = replicates, seed = seed,
      warning = points_warning(counts, points, values, predictions)
    ),
    class = c("rside_operating_points", "rside_result")
  )
}

# Of the numbers, and of the thresholds that were searched for.
points_warning <- function(counts, points, values, predictions) {
  columns <- c("metric", "estimator", "lower", "method")
  points$metric <- rep("threshold", nrow(points))
  points$estimator <- points$rule
  rows <- rbind(values[columns], points[columns])
  labels <- ifelse(rows$metric == "threshold", paste("threshold by", rows$estimator), rows$metric)
  low_coverage(counts, rows, labels, is_weighted(predictions))
}

check_rules <- function(rules) {
  if (!is.null(rules) && !(is.character(rules) && all(rules %in% names(best_rules)))) {
    allowed <- paste0("\"", names(best_rules), "\"", collapse = ", ")
    refuse_argument(
      paste0("`rules` must be among ", allowed, "."),
      paste0("It is ", list_values(rules), "."), "Targets have arguments of their own."
    )
  }
}

# `hold` is looked at only where `targets` are numbers.
check_targets <- function(targets, name, what, hold) {
  if (!is.null(targets) && !(is.numeric(targets) && all(hold %in% TRUE))) {
    refuse_argument(paste0("`", name, "` must hold ", what, "."))
  }
}

check_cost_prevalence <- function(prevalence, cost_ratio) {
  if (is.null(prevalence)) {
    return()
  }
  if (!is_number(prevalence) || prevalence <= 0 || prevalence >= 1) {
    refuse_argument("`prevalence` must be one number between 0 and 1.")
  }
  if (is.null(cost_ratio)) {
    refuse_argument(
      "`prevalence` must come with a `cost_ratio`.", "It moves no other rule.",
      "Predictive values at a prevalence are in confusion()."
    )
  }
}

prevalence_of <- function(predictions) {
  is_positive <- predictions$true_label == facts(predictions)$positive
  weighted_mean(is_positive, weights_of(predictions))
}

class_counts <- function(predictions) {
  known <- facts(predictions)
  order <- c(setdiff(known$classes, known$positive), known$positive)
  counts <- tabulate(predictions$true_label, length(known$classes))
  stats::setNames(counts[match(order, known$classes)], order)
}

#' @export
as.data.frame.rside_operating_points <- function(x, ...) x$values

#' @rdname results
#' @export
tidy.rside_operating_points <- function(x, ...) tidy_opinions(x$values)

#' @rdname results
#' @export
glance.rside_operating_points <- function(x, ...) {
  data.frame(
    n = sum(x$counts), positives = x$counts[[x$positive]], positive = x$positive,
    points = nrow(x$points), conf.level = x$conf_level
  )
}

#' @export
format.rside_operating_points <- function(x, ...) {
  c(
    paste0("<operating points: ", format_class_counts(x$counts), ">"),
    paste0("positive class: '", x$positive, "', called where its score is >= the threshold"),
    "thresholds are observed scores; of equally good ones the greatest is taken",
    if (!is.null(x$prevalence)) paste("costs at a prevalence of", format_estimate(x$prevalence)),
    paste0(
      format_percent(x$conf_level), " intervals; of the numbers, for the threshold as it stands"
    ),
    unlist(lapply(unique(x$points$threshold), format_threshold, x = x)),
    if (!is.null(x$optimism)) format_optimism(x$optimism),
    format_warning(x$warning)
  )
}

# Rules that lead to one threshold share its numbers.
format_threshold <- function(threshold, x) {
  points <- x$points[x$points$threshold %in% threshold, ]
  interval <- ifelse(
    is.na(points$lower), "",
    paste0(" [", format_number(points$lower), ", ", format_number(points$upper), "]")
  )
  where <- if (is.na(threshold)) ": no threshold" else paste(": score >=", format_number(threshold))
  reason <- ifelse(is.na(points$reason), "", paste0("\n    ", points$reason))
  values <- x$values[x$values$rule == points$rule[[1]], ]
  without <- ifelse(is.na(values$reason), "", paste0("\n    ", values$reason))
  c(
    "", paste0(points$rule, where, interval, reason),
    if (!is.na(threshold)) {
      paste0(
        "  ", formatC(values$metric, width = -27),
        format_estimate(values$estimate, values$lower, values$upper), without
      )
    }
  )
}

format_optimism <- function(optimism) {
  c(
    "",
    "a threshold chosen on these rows looks better than it is; corrected by repeating",
    "the choice in bootstrap samples: apparent - optimism = corrected",
    unlist(lapply(unique(optimism$rule), function(rule) {
      rows <- optimism[optimism$rule == rule, ]
      c(rule, sprintf(
        "  %-14s%.4f - %.4f = %s", rows$metric, rows$apparent, rows$optimism,
        format_estimate(rows$corrected, rows$lower, rows$upper)
      ))
    }))
  )
}
