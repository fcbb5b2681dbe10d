#' Area under the ROC curve of several classes
#'
#' The mean over the pairs of classes by Hand and Till, the mean over
#' one-vs-rest, plain and weighted by prevalence, and the AUC of every class
#' against the rest with DeLong's interval.
#'
#' A class that does not occur in the truth has no AUC: it is left out of the
#' means, and `reason` names it. With two classes the three means are the AUC,
#' as far as the probabilities of a row sum to exactly 1.
#'
#' @inheritParams confusion
#' @return An object of class `rside_multiclass_auc`: a list with `values`, a
#'   data frame of `metric`, `estimator` (`hand_till`, `macro`,
#'   `macro_weighted`, `one_vs_rest`), `class`, `estimate`, `lower`, `upper`,
#'   `reason`; `counts`, the rows of each class in the truth; and
#'   `conf_level`. `as.data.frame()` gives `values`.
#' @inheritSection as_predictions Errors
#' @references
#' Hand and Till (2001) \doi{10.1023/A:1010920819831}; DeLong et al. (1988)
#' \doi{10.2307/2531595} for the intervals.
#' @seealso [roc_curve()] for two classes.
#' @examples
#' multiclass_auc(
#'   data.frame(
#'     true_label = c("bird", "cat", "dog", "bird", "cat", "dog"),
#'     pred_prob_bird = c(0.5, 0.25, 0.25, 0.5, 0.5, 0.125),
#'     pred_prob_cat = c(0.25, 0.5, 0.5, 0.25, 0.25, 0.125),
#'     pred_prob_dog = c(0.25, 0.25, 0.25, 0.25, 0.25, 0.75)
#'   )
#' )
#' @export
multiclass_auc <- function(predictions, conf_level = 0.95) {
  check_conf_level(conf_level)
  multiclass_auc_of(predictions_of(predictions), conf_level)
}

multiclass_auc_of <- function(predictions, conf_level) {
  classes <- facts(predictions)$classes
  truth <- predictions$true_label
  probabilities <- probabilities_of(predictions)
  counts <- stats::setNames(tabulate(truth, length(classes)), classes)
  each <- do.call(rbind, lapply(classes, function(class) {
    one_vs_rest_auc(probabilities[, class], truth, class, conf_level)
  }))
  structure(
    list(
      values = rbind(mean_aucs(probabilities, truth, counts, each$estimate), each),
      counts = counts, conf_level = conf_level
    ),
    class = "rside_multiclass_auc"
  )
}

one_vs_rest_auc <- function(score, truth, class, conf_level) {
  fit <- fit_roc(
    score, truth == class, conf_level,
    absent = c(only_in_truth(class), lacks(class, not_in_truth)),
    groups = paste0(c("classes other than '", "class '"), class, "'")
  )
  opinion("roc_auc", "one_vs_rest", fit$auc, class, fit$lower, fit$upper, fit$reason)
}

mean_aucs <- function(probabilities, truth, counts, each) {
  present <- names(counts)[counts > 0]
  if (length(present) == 1) {
    estimates <- rep(NA_real_, 3)
    reason <- only_in_truth(present)
  } else {
    estimates <- c(
      hand_till(probabilities[, present, drop = FALSE], truth),
      mean(each[counts > 0]),
      stats::weighted.mean(each[counts > 0], counts[counts > 0])
    )
    reason <- left_out(setdiff(names(counts), present), not_in_truth)
  }
  opinion("roc_auc", c("hand_till", "macro", "macro_weighted"), estimates, reason = reason)
}

# The matrix form of multiclass.roc() matches columns by name and fixes the
# direction itself: passing one would turn the curves round.
hand_till <- function(probabilities, truth) {
  truth <- droplevels(truth)
  stopifnot(identical(colnames(probabilities), levels(truth)))
  as.numeric(pROC::multiclass.roc(response = truth, predictor = probabilities)$auc)
}

#' @export
as.data.frame.rside_multiclass_auc <- function(x, ...) x$values

#' @export
format.rside_multiclass_auc <- function(x, ...) {
  c(
    paste0("<AUC of ", length(x$counts), " classes: ", format_count(sum(x$counts)), " rows>"),
    paste0(format_percent(x$conf_level), " intervals are DeLong's"),
    format_opinions(x$values)
  )
}

#' @export
print.rside_multiclass_auc <- function(x, ...) print_lines(x)
