# What the curves of two classes share: a number read off the calls at every threshold, with its
# interval by the stratified bootstrap.

# `statistic` takes calls() and gives numbers, named by their metrics. Rows are ranked once; a
# sample only changes their weights.
curve_opinions <- function(statistic, of, weights, conf_level, replicates, seed) {
  ranked <- ranking(of$score)
  of_weights <- function(weights) statistic(calls(ranked, of$is_positive, weights))
  estimates <- of_weights(weights)
  # A class of one row is the same in every sample: its share of the variance would be missing.
  single <- of$groups[class_sizes(of) == 1]
  if (length(single) > 0) {
    reason <- paste0("no interval: ", too_few(list_names("class", single)))
    return(opinion(names(estimates), "binary", unname(estimates), reason = reason))
  }
  draws <- bootstrap(of_weights, of$is_positive, weights, replicates, seed)
  rows <- lapply(seq_along(estimates), function(i) {
    bootstrap_opinion(names(estimates)[[i]], "binary", estimates[[i]], draws[, i], conf_level)
  })
  do.call(rbind, rows)
}

# `groups` names the negative and the positive class.
two_classes <- function(predictions) {
  known <- facts(predictions)
  list(
    score = score_of(predictions, known$positive),
    is_positive = predictions$true_label == known$positive,
    groups = c(setdiff(known$classes, known$positive), known$positive)
  )
}

# The rows of the negative and the positive class, by name.
class_sizes <- function(of) {
  stats::setNames(c(sum(!of$is_positive), sum(of$is_positive)), of$groups)
}

# Why there is no ROC curve; NA where there is one.
no_curve <- function(of) {
  absent <- which(class_sizes(of) == 0)
  if (length(absent) == 0) NA_character_ else only_in_truth(of$groups[[3 - absent]])
}

# From the threshold that calls nothing positive to the one that calls everything so.
roc_points <- function(calls) {
  list(
    sensitivity = c(0, calls$true / total(calls$true)),
    specificity = c(1, (total(calls$false) - calls$false) / total(calls$false))
  )
}

# The points as a data frame, without rows where a class is absent.
roc_frame <- function(of, weights) {
  if (!is.na(no_curve(of))) {
    return(data.frame(sensitivity = numeric(), specificity = numeric()))
  }
  as.data.frame(roc_points(calls(ranking(of$score), of$is_positive, weights)))
}

# For the subtitle of a plot, where long class names would push each other out.
count_line <- function(counts) {
  names <- shown(names(counts))
  names(counts) <- ifelse(nchar(names) > 20, paste0(substr(names, 1, 17), "..."), names)
  paste0("n = ", format_count(sum(counts)), ": ", format_class_counts(counts))
}
