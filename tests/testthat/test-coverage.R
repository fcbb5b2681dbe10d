few_cases <- function(n, cases) {
  set.seed(1)
  is_case <- seq_len(n) <= cases
  binary(ifelse(is_case, "pos", "neg"), round(plogis(rnorm(n) + is_case), 3))
}

low_note <- function(table) {
  notes <- validate(table)$notes
  notes$text[notes$code == "low_coverage"]
}

test_that("a report says where simulated intervals failed, with the figure", {
  note <- low_note(few_cases(200, 4))
  simulated <- simulated_coverage()
  row <- subset(
    simulated, study == "report" & metric == "roc_auc" & n == 200 & prevalence == 0.02
  )
  expect_lt(row$coverage, 0.9)
  expect_match(note, paste0(round(100 * row$coverage), "% (roc_auc binary)"), fixed = TRUE)
  expect_match(note, "Class 'pos' has 4 rows", fixed = TRUE)
})

test_that("a report whose intervals cover says nothing", {
  expect_length(low_note(few_cases(1000, 500)), 0)
  expect_length(low_note(few_cases(2000, 200)), 0)
  expect_length(low_note(system.file("extdata", "preds.csv", package = "rside")), 0)
})

test_that("the simulation is whole: every setting, at least 2000 tables", {
  simulated <- simulated_coverage()
  expect_true(all(simulated$tables >= 2000))
  settings <- unique(simulated[c("n", "prevalence")])
  expect_identical(nrow(settings), 9L)
  expect_true(all(table(paste(simulated$study, simulated$metric, simulated$estimator)) %% 9 == 0))
  # What is near enough its name: exact and Wilson intervals cover, whatever the table.
  exact <- subset(simulated, method == "Clopper-Pearson" & metric != "f1")
  expect_gt(min(exact$coverage), 0.93)
})

test_that("comparisons, operating points and single AUCs say so as well", {
  table <- few_cases(200, 4)
  p <- as_predictions(table)
  other <- as_predictions(transform(
    table, pred_prob_pos = pred_prob_neg, pred_prob_neg = pred_prob_pos
  ))
  notes <- compare_models(p, other)$notes
  expect_match(notes$text[notes$code == "low_coverage"], "(roc_auc)", fixed = TRUE)
  points <- operating_points(p, replicates = 2)
  expect_match(points$warning, "likelihood_ratio_positive", fixed = TRUE)
  said <- function(interval) {
    paste(format(auc_ci(p, interval = interval, replicates = 20)), collapse = " ")
  }
  expect_match(said("delong"), "(DeLong)", fixed = TRUE)
  expect_match(said("logit"), "81% (DeLong (logit))", fixed = TRUE)
  expect_match(said("bootstrap"), "68% (bootstrap (percentile))", fixed = TRUE)
  expect_no_match(said("newcombe"), "simulated")
  many <- few_cases(2000, 400)
  expect_no_match(paste(format(auc_ci(many)), collapse = " "), "simulated")
  expect_length(operating_points(many, replicates = 2)$warning, 0)
})

test_that("what the vignette says of exact, Wilson's and Newcombe's intervals holds", {
  simulated <- simulated_coverage()
  expect_gt(min(simulated$coverage[simulated$method == "Newcombe"]), 0.93)
  expect_gt(min(simulated$coverage[simulated$method == "Wilson"]), 0.92)
})

# The least covered number of a study in a simulated setting.
worst_of <- function(study, n, prevalence) {
  simulated <- simulated_coverage()
  rows <- simulated[
    simulated$study == study & simulated$n == n & simulated$prevalence == prevalence,
  ]
  rows[which.min(rows$coverage), ]
}

test_that("whatever has intervals warns where they fail, with the simulated figure", {
  p <- few_cases(200, 4)
  says <- function(warning, worst, label = worst$metric) {
    expect_lt(worst$coverage, 0.93)
    said <- paste0(round(100 * worst$coverage), "% (", label, ")")
    expect_match(paste(warning, collapse = " "), said, fixed = TRUE)
  }
  pr <- pr_curve(p, interval = "bootstrap", replicates = 20)
  says(pr$warning, worst_of("precision_recall", 200, 0.02))
  says(calibration(p, replicates = 20)$warning, worst_of("calibration", 200, 0.02))
  partial <- partial_auc(p, replicates = 20)
  expect_match(partial$warning, "(partial_auc", fixed = TRUE)
  expect_match(confusion(p)$warning, "(mcc binary)", fixed = TRUE)
  expect_match(
    paste(format(pr), collapse = " "), strsplit(pr$warning, " ")[[1]][[3]], fixed = TRUE
  )
  many <- few_cases(4000, 2000)
  expect_length(pr_curve(many, interval = "bootstrap", replicates = 5)$warning, 0)
  expect_length(confusion(many)$warning, 0)
})

test_that("several classes: the means, and each class against the rest", {
  set.seed(2)
  truth <- rep(c("rare", "b", "c"), c(3, 100, 97))
  probabilities <- matrix(rexp(600), 200)
  probabilities[cbind(1:200, match(truth, c("rare", "b", "c")))] <- 2
  probabilities <- probabilities / rowSums(probabilities)
  colnames(probabilities) <- paste0("pred_prob_", c("rare", "b", "c"))
  table <- data.frame(true_label = truth, probabilities)
  bootstrap <- multiclass_auc(table, interval = "bootstrap", replicates = 20)
  expect_match(bootstrap$warning, "(roc_auc hand_till)", fixed = TRUE, all = FALSE)
  expect_match(bootstrap$warning, "(class 'rare', 3 rows)", fixed = TRUE, all = FALSE)
  expect_match(
    validate(table)$notes$text, "(class 'rare', 3 rows)", fixed = TRUE, all = FALSE
  )
})

test_that("slices name those whose intervals fail", {
  table <- few_cases(400, 204)
  table$site <- rep(c("small", "large"), c(200, 200))
  table$true_label[5:200] <- "neg"
  table$true_label[201:300] <- "pos"
  found <- slices(table, by = "site")
  expect_match(found$warning, "^1 slice: .*site = 'small'")
  expect_match(paste(methods_text(found)), "1 slice: in the most similar tables", fixed = TRUE)
})

test_that("the methods paragraph says how to draw the bootstrap again", {
  p <- few_cases(60, 30)
  said <- as.character(methods_text(partial_auc(p, replicates = 1200, seed = 7)))
  expect_match(said, "The bootstrap drew 1200 samples (seed 7).", fixed = TRUE)
  expect_no_match(as.character(methods_text(auc_ci(p))), "bootstrap drew")
})
