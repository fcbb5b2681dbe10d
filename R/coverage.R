# How often 95 % intervals contained the truth in simulated tables: benchmarks/coverage.R. A result
# says so where they do it too rarely.

enough_coverage <- 0.93

# A table whose rarest class has this many rows is far from every simulated one.
many_rows <- 1000

simulated_coverage <- function() {
  utils::read.csv(system.file("extdata", "coverage.csv", package = "rside"))
}

class_counts_of <- function(predictions) {
  counts <- table(predictions$true_label)
  stats::setNames(as.integer(counts), names(counts))
}

# The simulated setting that is nearest in rows and in rows of the rarest class, or NULL.
nearest_coverage <- function(counts, simulated = simulated_coverage()) {
  counts <- counts[counts > 0]
  if (length(counts) < 2 || min(counts) >= many_rows) {
    return(NULL)
  }
  # Tables of more than two classes are like those of three, whose shares are p and twice
  # (1 - p) / 2.
  of_three <- startsWith(simulated$study, "three_classes")
  simulated <- simulated[of_three == (length(counts) > 2), ]
  p <- simulated$prevalence
  simulated$rarest <- if (length(counts) > 2) pmin(p, (1 - p) / 2) else p
  distance <- log(simulated$n / sum(counts))^2 + log(simulated$n * simulated$rarest / min(counts))^2
  simulated[distance == min(distance), ]
}

# How often intervals like those of `rows` held the truth there; NA where there is no interval, or
# it was not simulated. A number's `method` may stand in for another where that is undefined.
coverage_of <- function(rows, near, weighted) {
  if (is.null(near)) {
    return(rep(NA_real_, nrow(rows)))
  }
  near <- near[endsWith(near$study, "weighted") == weighted, ]
  found <- vapply(seq_len(nrow(rows)), function(i) {
    same <- near$metric == rows$metric[[i]] & near$estimator == rows$estimator[[i]]
    exact <- same & near$method == rows$method[[i]]
    among <- same & grepl(rows$method[[i]], near$method, fixed = TRUE)
    near$coverage[c(which(exact), which(among))][1]
  }, 0)
  ifelse(is.na(rows$lower), NA, found)
}

# What must be known of the intervals of `rows` in a table of these rows per class: a text, or none.
# `labels` are what the numbers are called in it.
low_coverage <- function(counts, rows, labels = rows$metric, weighted = FALSE) {
  near <- nearest_coverage(counts)
  coverage <- coverage_of(rows, near, weighted)
  low <- which(coverage < enough_coverage)
  if (length(low) == 0) {
    return(character())
  }
  low <- low[order(coverage[low])]
  low <- low[!duplicated(labels[low])]
  rarest <- which.min(replace(counts, counts == 0, NA))
  paste0(
    "Class '", names(counts)[[rarest]], "' has ", count_of(counts[[rarest]], "row"),
    ". In the most similar tables that were simulated (",
    if (startsWith(near$study[[1]], "three")) "three classes, ", near$n[[1]],
    " rows, the rarest class ", format_percent(near$rarest[[1]]), if (weighted) ", case weights",
    "), 95% intervals held the truth in only ",
    paste0(format_share(coverage[low]), " (", labels[low], ")", collapse = ", "), ".",
    if (any(rows$metric[low] == "roc_auc" & rows$estimator[low] == "binary")) newcombe_covers(near)
  )
}

format_share <- function(coverage) format_percent(round(coverage, 2))

newcombe_covers <- function(near) {
  newcombe <- near[near$study == "auc" & near$method == auc_intervals[["newcombe"]], ]
  paste0(
    " Newcombe's interval of the AUC, auc_ci(interval = \"newcombe\"), held it in ",
    format_share(newcombe$coverage), "."
  )
}

# The same of the AUC of each class against the rest, in a table of several classes.
low_class_coverage <- function(counts, rows, weighted = FALSE) {
  rows <- rows[rows$metric == "roc_auc" & rows$estimator == "one_vs_rest", ]
  rows$estimator <- rep("binary", nrow(rows))
  simulated <- simulated_coverage()
  coverage <- vapply(seq_len(nrow(rows)), function(i) {
    of_class <- counts[[rows$class[[i]]]]
    coverage_of(
      rows[i, ], nearest_coverage(c(of_class, sum(counts) - of_class), simulated), weighted
    )
  }, 0)
  low <- which(coverage < enough_coverage)
  if (length(low) == 0) {
    return(character())
  }
  low <- low[order(coverage[low])]
  named <- utils::head(low, 5)
  classes <- rows$class[named]
  paste0(
    "One against the rest, 95% intervals of the AUC held the truth, in the most similar tables ",
    "of two classes that were simulated, in only ",
    paste0(
      format_share(coverage[named]), " (class '", classes, "', ",
      vapply(counts[classes], count_of, "", "row"), ")", collapse = ", "
    ),
    if (length(low) > 5) paste(", and less than 93% of", length(low) - 5, "others"), "."
  )
}

# Of all the numbers of a report.
coverage_notes <- function(predictions, metrics) {
  counts <- class_counts_of(predictions)
  weighted <- is_weighted(predictions)
  texts <- c(
    low_coverage(counts, metrics, paste(metrics$metric, metrics$estimator), weighted),
    low_class_coverage(counts, metrics, weighted)
  )
  stats::setNames(texts, rep("low_coverage", length(texts)))
}

# The slices with the least coverage, each by its worst interval.
slice_warning <- function(values, predictions, groups) {
  simulated <- simulated_coverage()
  weighted <- is_weighted(predictions)
  found <- do.call(rbind, lapply(names(groups), function(group) {
    level <- slice_levels(predictions, groups[[group]])
    do.call(rbind, lapply(sort(unique(level), method = "radix", na.last = TRUE), function(one) {
      near <- nearest_coverage(class_counts_of(predictions[level %in% one, ]), simulated)
      rows <- values[values$group == group & values$level %in% one, ]
      coverage <- coverage_of(rows, near, weighted)
      if (!any(coverage < enough_coverage, na.rm = TRUE)) {
        return(NULL)
      }
      worst <- which.min(coverage)
      data.frame(
        slice = paste(group, "=", if (length(groups[[group]]) > 1) one else level_text(one)),
        metric = rows$metric[[worst]],
        coverage = coverage[[worst]]
      )
    }))
  }))
  if (is.null(found)) {
    return(character())
  }
  found <- found[order(found$coverage), ]
  named <- utils::head(found, 5)
  paste0(
    count_of(nrow(found), "slice"), ": in the most similar tables that were simulated, some 95% ",
    "intervals held the truth in less than 93% of tables, in the worst case in ",
    paste0(
      format_share(named$coverage), " (", named$metric, ", ", named$slice, ")", collapse = ", "
    ), "."
  )
}

format_warning <- function(warning) strwrap(warning, 79)
