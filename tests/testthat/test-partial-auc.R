asah_pair <- function(marker, scale) {
  data("aSAH", package = "pROC", envir = environment())
  score <- as.numeric(aSAH[[marker]])
  truth <- as.character(aSAH$outcome)
  list(
    table = binary(truth, score / scale, c("Good", "Poor")),
    roc = pROC::roc(
      response = truth, predictor = score, levels = c("Good", "Poor"), direction = "<",
      quiet = TRUE
    )
  )
}

roc_of_table <- function(table) {
  pROC::roc(
    response = table$true_label, predictor = table$pred_prob_b, levels = c("a", "b"),
    direction = "<", quiet = TRUE
  )
}

# The correction warns where it is undefined.
by_proc <- function(roc, range, focus, correct = FALSE) {
  suppressWarnings(as.numeric(pROC::auc(
    roc, partial.auc = rev(range), partial.auc.focus = focus, partial.auc.correct = correct
  )))
}

estimates <- function(...) partial_auc(..., replicates = 2)$values$estimate

ranges <- list(c(0.9, 1), c(0.8, 1), c(0.25, 0.75), c(0, 0.1), c(0, 1), c(0.501, 0.502))

test_that("the example of pROC's help page comes out", {
  # pROC's help page of auc() prints 0.5801 for the corrected area, sensitivity 1 to 0.8.
  s100b <- partial_auc(asah_pair("s100b", 4)$table, c(1, 0.8), "sensitivity", replicates = 20)
  expect_equal(round(s100b$values$estimate[2], 4), 0.5801)
})

test_that("the areas of the aSAH study are pROC's", {
  for (pair in list(asah_pair("s100b", 4), asah_pair("ndka", 500), asah_pair("wfns", 5))) {
    for (focus in c("specificity", "sensitivity")) {
      for (range in ranges) {
        expect_equal(
          estimates(pair$table, range, focus),
          c(by_proc(pair$roc, range, focus), by_proc(pair$roc, range, focus, correct = TRUE))
        )
      }
    }
  }
})

test_that("the areas of random tables with ties are pROC's", {
  for (seed in 1:10) {
    table <- random_table(seed)
    roc <- roc_of_table(table)
    for (focus in c("specificity", "sensitivity")) {
      for (range in c(ranges, list(sort(runif(2))))) {
        ours <- estimates(table, range, focus)
        expect_equal(ours[1], by_proc(roc, range, focus))
        expect_equal(ours[2], by_proc(roc, range, focus, correct = TRUE))
      }
    }
  }
})

test_that("the whole range is the AUC, and ranges add up", {
  for (seed in 1:5) {
    table <- random_table(seed)
    auc <- auc_ci(table)$estimate
    for (focus in c("specificity", "sensitivity")) {
      expect_equal(estimates(table, c(0, 1), focus)[1], auc)
      parts <- c(
        estimates(table, c(0, 0.37), focus)[1], estimates(table, c(0.37, 0.8), focus)[1],
        estimates(table, c(0.8, 1), focus)[1]
      )
      expect_equal(sum(parts), auc)
    }
  }
})

test_that("the other class taken for positive turns the focus round", {
  for (seed in 1:5) {
    table <- random_table(seed)
    expect_equal(
      estimates(table, c(0.7, 0.95), "specificity", positive = "a"),
      estimates(table, c(0.7, 0.95), "sensitivity", positive = "b")
    )
  }
})

test_that("bounds are those of guessing and of perfect scores, and the range has no order", {
  range <- c(0.7, 0.95)
  bounds <- partial_auc(fixture("ok_constant.csv"), range, replicates = 2)$bounds
  # The triangle below the diagonal up to a false positive rate of 0.3, less that up to 0.05.
  expect_equal(bounds, c(minimum = 0, chance = (0.3^2 - 0.05^2) / 2, maximum = 0.25))
  for (focus in c("specificity", "sensitivity")) {
    expect_equal(estimates(fixture("ok_constant.csv"), range, focus), c(bounds[["chance"]], 0.5))
    expect_equal(estimates(fixture("ok_perfect.csv"), range, focus), c(0.25, 1))
  }
  expect_identical(estimates(fixture("ok_ties_200.csv"), rev(range)),
                   estimates(fixture("ok_ties_200.csv"), range))
})

test_that("on the diagonal itself the correction is defined, whatever the rounding", {
  for (share in c(0.1, 0.3, 0.7)) {
    for (from in c(0.1, 0.3, 0.6, 0.9)) {
      expect_equal(estimates(fixture("ok_constant.csv"), c(from, from + share / 10))[2], 0.5)
    }
  }
})

test_that("below the diagonal the correction is undefined, and says so", {
  partial <- partial_auc(fixture("ok_label_swapped.csv"), replicates = 50)
  expect_false(is.na(partial$values$estimate[1]))
  expect_identical(partial$values$estimate[2], NA_real_)
  expect_identical(
    partial$values$reason[2],
    "the area is less than that of chance: McClish's correction is undefined"
  )
})

test_that("the interval is near pROC's, and its error what the derivatives say", {
  set.seed(21)
  truth <- rep(c("a", "b"), c(120, 80))
  score <- round(plogis(rnorm(200) + 1.2 * (truth == "b")), 2)
  table <- binary(truth, score, c("a", "b"))
  roc <- roc_of_table(table)
  for (focus in c("specificity", "sensitivity")) {
    ours <- partial_auc(table, c(0.8, 1), focus, replicates = 1000)$values
    expect_identical(unique(ours$method), "bootstrap (percentile)")
    for (row in 1:2) {
      area <- pROC::auc(
        roc, partial.auc = c(1, 0.8), partial.auc.focus = focus, partial.auc.correct = row == 2
      )
      set.seed(1)
      theirs <- as.numeric(
        pROC::ci.auc(area, method = "bootstrap", boot.n = 1000, progress = "none")
      )
      expect_equal(c(ours$lower[row], ours$upper[row]), theirs[c(1, 3)], tolerance = 0.04)
    }
    by_weights <- function(weights) {
      partial_area(roc_points(calls(ranking(score), truth == "b", weights)), c(0.8, 1), focus)
    }
    # The infinitesimal jackknife within each class: Efron (1982), by numerical derivatives.
    derivative <- vapply(1:200, function(row) {
      by <- 1e-5 * (1:200 == row)
      (by_weights(1 + by) - by_weights(1 - by)) / 2e-5
    }, 0)
    error <- sqrt(sum((derivative - ave(derivative, truth))^2))
    expect_equal(ours$std_error[1], error, tolerance = 0.1)
  }
})

test_that("the interval of the correction is that of the area, moved and stretched", {
  partial <- partial_auc(random_table(3), c(0.6, 1), replicates = 100)
  moved <- function(area) {
    (1 + (area - partial$bounds[["chance"]]) /
       (partial$bounds[["maximum"]] - partial$bounds[["chance"]])) / 2
  }
  values <- partial$values
  expect_equal(values$lower[2], moved(values$lower[1]))
  expect_equal(values$upper[2], moved(values$upper[1]))
})

test_that("order of rows and monotone transforms do not matter; weights of k are k copies", {
  table <- random_table(6)
  range <- c(0.55, 0.85)
  expected <- estimates(table, range)
  expect_equal(estimates(table[sample(60), ], range), expected)
  squared <- table
  squared$pred_prob_b <- table$pred_prob_b^2
  squared$pred_prob_a <- 1 - squared$pred_prob_b
  expect_equal(estimates(squared, range), expected)
  table$weight <- sample(1:3, 60, replace = TRUE)
  copies <- table[rep(1:60, table$weight), names(table) != "weight"]
  weighted <- partial_auc(table, range, replicates = 50)
  expect_equal(weighted$values$estimate, estimates(copies, range))
  table$weight <- 100 * table$weight
  expect_equal(partial_auc(table, range, replicates = 50)$values, weighted$values)
})

test_that("degenerate tables say why there is no number or interval", {
  reasons <- function(...) unique(partial_auc(..., replicates = 20)$values$reason)
  expect_identical(
    reasons(fixture("ok_one_class_truth.csv")), "only class 'cat' occurs in the truth"
  )
  expect_identical(
    reasons(fixture("ok_one_class_truth.csv"), positive = "cat"),
    "only class 'cat' occurs in the truth"
  )
  expect_identical(
    reasons(fixture("ok_one_case.csv"), c(0, 1)),
    c("no interval: fewer than two examples of class 'dog'",
      "the area is less than that of chance: McClish's correction is undefined")
  )
  expect_identical(
    reasons(fixture("ok_perfect.csv")), "no interval: every bootstrap sample gives the same number"
  )
  expect_identical(nrow(partial_auc(binary("pos", 0.4))$curve), 0L)
})

test_that("bad arguments are refused", {
  p <- fixture("ok_binary.csv")
  for (range in list(0.9, c(0.9, 0.9), c(-0.1, 1), c(0.9, 1.1), c(NA, 1), "0.9", c(0, 0.5, 1))) {
    expect_error(partial_auc(p, range), class = "rside_error_argument")
  }
  expect_error(partial_auc(p, focus = "recall"), class = "rside_error_argument")
  expect_error(partial_auc(fixture("ok_multiclass.csv")), class = "rside_error_argument")
})

test_that("the result tells itself", {
  partial <- partial_auc(fixture("ok_ties_200.csv"), replicates = 50)
  expect_match(format(partial), "specificity 0.9 to 1", all = FALSE)
  expect_match(format(partial), "area by chance 0.005, at most 0.1", all = FALSE)
  expect_lte(max(nchar(unlist(strsplit(format(partial), "\n")))), 80)
  expect_identical(tidy(partial)$term, c("partial_auc", "partial_auc_corrected"))
  expect_identical(nrow(glance(partial)), 1L)
  expect_equal(glance(partial)$partial_auc, partial$values$estimate[1])
  expect_identical(as.data.frame(partial), partial$values)
})

# The shoelace formula.
polygon_area <- function(x, y) {
  next_one <- c(seq_along(x)[-1], 1)
  abs(sum(x * y[next_one] - x[next_one] * y)) / 2
}

test_that("the picture shades the area", {
  for (focus in c("specificity", "sensitivity")) {
    for (range in ranges) {
      partial <- partial_auc(random_table(2), range, focus, replicates = 2)
      corners <- shaded_area(partial)
      expect_equal(
        polygon_area(corners$specificity, corners$sensitivity), partial$values$estimate[1]
      )
    }
  }
  plot <- ggplot2::autoplot(partial_auc(fixture("ok_ties_200.csv"), replicates = 20))
  expect_match(plot$labels$subtitle, "Partial AUC 0.0249 [0.0", fixed = TRUE)
  expect_match(plot$labels$subtitle, "specificity 0.9 to 1\nthe interval may be too short")
  expect_match(plot$labels$subtitle, "n = 200: 103 'cat', 97 'dog'", fixed = TRUE)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (name in c("ties_200", "perfect", "constant", "one_case")) {
    partial <- partial_auc(fixture(paste0("ok_", name, ".csv")), replicates = 20)
    expect_identical(plot(partial), partial)
  }
  expect_error(
    ggplot2::autoplot(partial_auc(fixture("ok_one_class_truth.csv"))),
    class = "rside_error_argument"
  )
})

test_that("an interval that few rows carry says so", {
  reason <- function(...) partial_auc(..., replicates = 20)$values$reason[1]
  table <- random_table(9, n = 100)
  negatives <- sum(table$true_label == "a")
  expect_identical(reason(table, c(0.8, 1)), sprintf(
    "the interval may be too short: about %.2g examples of class 'a' in the range", 0.2 * negatives
  ))
  expect_match(reason(table, c(0.7, 1), "sensitivity"), "examples of class 'b' in the range")
  expect_identical(reason(table, c(0.1, 1)), NA_character_)
  # Unequal weights are worth fewer rows.
  table$weight <- c(100, rep(0.1, 99))
  table$true_label[1] <- "a"
  expect_match(reason(table, c(0.1, 1)), "about 0.9[0-9] examples of class 'a'")
})
