with_site <- function(seed, n = 200, k = 2) {
  table <- random_table(seed, n, k)
  table$site <- rep(c("A", "B", "C", "D"), n * c(0.4, 0.3, 0.25, 0.05))
  table
}

layer_of <- function(plot, geom) {
  Filter(function(layer) inherits(layer$geom, geom), plot$layers)[[1]]
}

test_that("a forest has a row per slice, the worst first and the small ones last", {
  found <- slices(with_site(1), by = "site")
  plot <- ggplot2::autoplot(found, metric = "roc_auc")
  rows <- found$values[found$values$metric == "roc_auc", ]
  large <- rows[rows$n >= 30, ]
  expect_identical(
    plot$data$level, c(large$level[order(large$estimate)], rows$level[rows$n < 30])
  )
  expect_identical(plot$data$y, -seq_len(4))
  expect_identical(plot$data$mark, c(rep("other", 3), "small"))
  expect_identical(
    layer_of(plot, "GeomVline")$data$xintercept,
    found$overall$estimate[found$overall$metric == "roc_auc"]
  )
  expect_match(plot$labels$subtitle, "n = 200", fixed = TRUE)
  expect_match(plot$labels$subtitle, "95%, DeLong", fixed = TRUE)
  expect_match(plot$labels$subtitle, "Hollow: fewer than 30 rows", fixed = TRUE)
  draws(plot)
})

test_that("rows are labelled with their counts and numbers", {
  found <- slices(with_site(2), by = "site", metrics = "accuracy")
  plot <- ggplot2::autoplot(found)
  scale <- plot$scales$get_scales("y")
  expect_match(scale$labels, "'A'  (n = 80)", fixed = TRUE, all = FALSE)
  expect_identical(
    scale$secondary.axis$labels,
    format_estimate(plot$data$estimate, plot$data$lower, plot$data$upper)
  )
})

test_that("what has no interval is a cross with its reason, what is undefined a reason only", {
  table <- with_site(3)
  table$site[1:2] <- "one class"
  table$true_label[1:2] <- "a"
  apart <- table$site == "D"
  table$pred_prob_b[apart] <- 0.25 + 0.5 * (table$true_label[apart] == "b")
  table$pred_prob_a <- 1 - table$pred_prob_b
  plot <- ggplot2::autoplot(slices(table, by = "site"), metric = "mcc")
  reasons <- layer_of(plot, "GeomText")$data
  expect_identical(sort(reasons$level), c("D", "one class"))
  expect_identical(plot$data$mark[plot$data$level == "D"], "no interval")
  expect_match(reasons$reason[reasons$level == "one class"], "only class 'a'")
  expect_identical(is.na(plot$data$estimate), plot$data$level == "one class")
  draws(plot)
})

test_that("of several classes, any number can be drawn", {
  found <- slices(with_site(4, k = 3), by = "site")
  number <- function(...) ggplot2::autoplot(found, ...)$labels$title
  expect_match(number(), "^accuracy \\(multiclass\\)")
  expect_match(number(metric = "roc_auc"), "^roc_auc \\(hand_till\\)")
  expect_match(number(metric = "f1", estimator = "micro"), "^f1 \\(micro\\)")
  expect_match(number(metric = "f1", class = "b"), "^f1 \\('b'\\)")
  for (asked in list(list("auc"), list("roc_auc", "binary"), list("f1", NULL, "z"))) {
    expect_error(
      do.call(ggplot2::autoplot, c(list(found), asked)), "There are accuracy",
      class = "rside_error_argument"
    )
  }
})

test_that("long names are shortened, and many slices are cut with a word", {
  table <- with_site(5)
  table$site[1:40] <- paste0(strrep("long ", 20), "\n")
  table$many <- as.character(rep(1:50, 4))
  plot <- ggplot2::autoplot(slices(table, by = c("site", "many"), minimum = 5))
  expect_identical(nrow(plot$data), 5L + forest_rows)
  expect_match(plot$labels$subtitle, "Not shown: 10 more", fixed = TRUE)
  expect_lte(max(nchar(plot$scales$get_scales("y")$labels)), 45)
  draws(plot)
})

test_that("slices in which nothing is defined still draw", {
  table <- binary(rep("pos", 6), seq(0.1, 0.6, 0.1), site = rep(c("A", "B"), 3))
  plot <- ggplot2::autoplot(slices(table, by = "site"), metric = "roc_auc")
  expect_true(all(is.na(plot$data$estimate)))
  draws(plot)
})

test_that("the AUCs of several classes are drawn, means and classes", {
  auc <- multiclass_auc(fixture("ok_absent_class.csv"))
  plot <- ggplot2::autoplot(auc)
  expect_identical(plot$data$estimate, auc$values$estimate)
  expect_identical(levels(plot$data$panel), c("means", "classes"))
  of_class <- plot$data$panel == "classes"
  expect_identical(plot$data$n[of_class], unname(auc$counts))
  expect_match(plot$labels$subtitle, "95%, DeLong (logit)", fixed = TRUE)
  draws(plot)
  boot <- multiclass_auc(fixture("ok_multiclass.csv"), interval = "bootstrap", replicates = 20)
  expect_match(ggplot2::autoplot(boot)$labels$subtitle, "bootstrap (percentile)", fixed = TRUE)
  draws(ggplot2::autoplot(multiclass_auc(decided("a", "a", c("a", "b", "c")))))
})
