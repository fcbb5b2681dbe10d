#' ROC curve of two classes
#'
#' The curve of [pROC::roc()] with levels and direction fixed: a greater
#' probability of the positive class always speaks for the positive class.
#' A classifier that is worse than chance has an AUC below 0.5 and is
#' reported so.
#'
#' A table whose truth holds one class only has no curve: `auc` is `NA` and
#' `reason` says why.
#'
#' @inheritParams confusion
#' @return An object of class `rside_roc`, a list with
#'   * `curve`: a data frame of `threshold`, `sensitivity`, `specificity`. The
#'     thresholds are the observed scores, the greatest first, and a row is
#'     positive where its score is `>= threshold`; the first, `Inf`, calls
#'     nothing positive;
#'   * `auc`, with `lower`, `upper` (DeLong) and `reason`;
#'   * `auto`: the AUC that pROC's `direction = "auto"` would have reported;
#'   * `counts`: the rows of the negative and the positive class, by name;
#'   * `positive`, `conf_level`.
#'
#'   `as.data.frame()` gives the curve.
#' @inheritSection as_predictions Errors
#' @references DeLong et al. (1988) \doi{10.2307/2531595} for the interval.
#' @seealso [auc_ci()] for the AUC alone, [multiclass_auc()] for more classes.
#' @examples
#' path <- system.file("extdata", "preds.csv", package = "rside")
#' roc <- roc_curve(read_predictions(path))
#' roc
#' ggplot2::autoplot(roc)
#' @export
roc_curve <- function(predictions, positive = NULL, conf_level = 0.95) {
  check_conf_level(conf_level)
  roc_of(predictions_of(predictions, positive), conf_level)
}

roc_of <- function(predictions, conf_level) {
  known <- facts(predictions)
  check_two_classes(known$classes)
  negative <- setdiff(known$classes, known$positive)
  fit <- fit_roc(
    score_of(predictions, known$positive), predictions$true_label == known$positive, conf_level,
    absent = only_in_truth(c(known$positive, negative)),
    groups = paste0("class '", c(negative, known$positive), "'")
  )
  names(fit$counts) <- c(negative, known$positive)
  structure(
    c(fit, list(positive = known$positive, conf_level = conf_level)),
    class = "rside_roc"
  )
}

#' Area under the ROC curve, with DeLong's interval
#'
#' The AUC is the probability that a positive scores above a negative, ties
#' counted half; see [roc_curve()] for how direction and levels are fixed.
#'
#' The interval is undefined, and `reason` says so, with fewer than two
#' examples of a class, and where DeLong's variance is 0: an interval of no
#' width would be misleading there.
#'
#' @inheritParams confusion
#' @return An object of class `rside_auc`: a list of `estimate`, `lower`,
#'   `upper`, `method`, `reason` (`NA` where all is defined), `auto` (what
#'   pROC's `direction = "auto"` would have reported), `counts`, `positive`,
#'   `conf_level`. `as.data.frame()` gives it as one row.
#' @inheritSection as_predictions Errors
#' @references DeLong et al. (1988) \doi{10.2307/2531595}
#' @examples
#' path <- system.file("extdata", "preds.csv", package = "rside")
#' auc_ci(read_predictions(path))
#' @export
auc_ci <- function(predictions, positive = NULL, conf_level = 0.95) {
  roc <- roc_curve(predictions, positive, conf_level)
  structure(
    list(
      estimate = roc$auc, lower = roc$lower, upper = roc$upper, method = "DeLong",
      reason = roc$reason, auto = roc$auto, counts = roc$counts, positive = roc$positive,
      conf_level = conf_level
    ),
    class = "rside_auc"
  )
}

check_two_classes <- function(classes) {
  if (length(classes) > 2) {
    refuse_argument(
      "A ROC curve is defined for two classes.",
      paste("There are", length(classes), "classes:", shorten_list(quoted(classes))),
      "Use multiclass_auc(), or merge the classes into two."
    )
  }
}

# `absent` says why there is no AUC without negatives, and without positives;
# `groups` names the negatives and the positives.
fit_roc <- function(score, is_positive, conf_level, absent, groups) {
  counts <- c(sum(!is_positive), sum(is_positive))
  fit <- list(
    curve = data.frame(threshold = numeric(), sensitivity = numeric(), specificity = numeric()),
    auc = NA_real_, lower = NA_real_, upper = NA_real_, reason = NA_character_, auto = NA_real_,
    counts = counts
  )
  if (any(counts == 0)) {
    fit$reason <- absent[[match(0, counts)]]
    return(fit)
  }
  roc <- pROC::roc(
    response = is_positive, predictor = score, levels = c(FALSE, TRUE), direction = "<",
    quiet = TRUE
  )
  fit$auc <- as.numeric(roc$auc)
  fit$auto <- auto_auc(fit$auc, score, is_positive)
  fit$curve <- data.frame(
    # pROC cuts between the scores; ">=" at an observed score gives the same decisions.
    threshold = c(Inf, sort(unique(score), decreasing = TRUE)),
    sensitivity = rev(roc$sensitivities), specificity = rev(roc$specificities)
  )
  fit$reason <- no_delong(score, is_positive, counts, groups)
  if (is.na(fit$reason)) {
    interval <- as.numeric(pROC::ci.auc(roc, conf.level = conf_level, method = "delong"))
    fit$lower <- interval[[1]]
    fit$upper <- interval[[3]]
  }
  fit
}

# DeLong's variance is 0 where the classes do not overlap, and where all scores are one.
no_delong <- function(score, is_positive, counts, groups) {
  if (any(counts < 2)) {
    return(too_few(groups[[match(TRUE, counts < 2)]]))
  }
  positive <- range(score[is_positive])
  negative <- range(score[!is_positive])
  apart <- positive[1] > negative[2] || negative[1] > positive[2]
  if (apart || diff(range(score)) == 0) no_variance else NA_character_
}

# direction = "auto" turns the curve round where the negatives have the greater median.
auto_auc <- function(auc, score, is_positive) {
  turned <- stats::median(score[!is_positive]) > stats::median(score[is_positive])
  if (turned) 1 - auc else auc
}

#' @export
as.data.frame.rside_roc <- function(x, ...) x$curve

#' @export
as.data.frame.rside_auc <- function(x, ...) {
  data.frame(
    estimate = x$estimate, lower = x$lower, upper = x$upper, method = x$method,
    reason = x$reason, positive = x$positive, conf_level = x$conf_level, stringsAsFactors = FALSE
  )
}

#' @export
format.rside_roc <- function(x, ...) {
  c(
    paste0("<ROC curve: ", nrow(x$curve), " points; ", format_class_counts(x$counts), ">"),
    format_auc(x$auc, x)
  )
}

#' @export
format.rside_auc <- function(x, ...) {
  c(paste0("<AUC: ", format_class_counts(x$counts), ">"), format_auc(x$estimate, x))
}

format_class_counts <- function(counts) {
  paste(paste0(format_count(counts), " '", names(counts), "'"), collapse = ", ")
}

format_auc <- function(estimate, x) {
  c(
    paste0("positive class: '", x$positive, "'"),
    paste0("AUC: ", format_auc_interval(estimate, x)),
    if (!is.na(x$reason)) x$reason,
    auto_note(estimate, x$auto)
  )
}

format_auc_interval <- function(estimate, x) {
  interval <- if (!is.na(x$lower)) paste0(" (", format_percent(x$conf_level), ", DeLong)")
  paste0(format_estimate(estimate, x$lower, x$upper), interval)
}

auto_note <- function(auc, auto) {
  if (!is.na(auc) && auto != auc) {
    paste0("pROC's direction = \"auto\" would have reported an AUC of ", sprintf("%.4f", auto))
  }
}

#' @export
print.rside_roc <- function(x, ...) print_lines(x)

#' @export
print.rside_auc <- function(x, ...) print_lines(x)
