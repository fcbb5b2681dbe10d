# Hand and Till (2001), equation 7, by counting pairs.
hand_till_by_pairs <- function(table) {
  classes <- sort(unique(table$true_label))
  pairs <- combn(classes, 2)
  mean(apply(pairs, 2, function(pair) {
    score <- function(of, among) table[[paste0("pred_prob_", of)]][table$true_label == among]
    a_given_b <- pair_auc(score(pair[1], pair[1]), score(pair[1], pair[2]))
    b_given_a <- pair_auc(score(pair[2], pair[2]), score(pair[2], pair[1]))
    (a_given_b + b_given_a) / 2
  }))
}

test_that("every mean agrees with counting pairs, ties included", {
  for (seed in 1:4) {
    table <- random_table(seed, n = 80, k = 4)
    values <- as.data.frame(multiclass_auc(table))
    each <- vapply(letters[1:4], function(class) {
      score <- table[[paste0("pred_prob_", class)]]
      pair_auc(score[table$true_label == class], score[table$true_label != class])
    }, 0)
    share <- as.numeric(table(table$true_label)) / nrow(table)
    expect_equal(values$estimate[1], hand_till_by_pairs(table))
    expect_equal(values$estimate[2], mean(each))
    expect_equal(values$estimate[3], sum(each * share))
    expect_equal(values$estimate[4:7], unname(each))
    expect_identical(values$estimator, c("hand_till", "macro", "macro_weighted",
                                         rep("one_vs_rest", 4)))
    expect_identical(values$class, c(NA, NA, NA, letters[1:4]))
    first <- table$true_label == "a"
    interval <- delong_interval(table$pred_prob_a[first], table$pred_prob_a[!first])
    expect_equal(c(values$lower[4], values$upper[4]), interval)
  }
})

test_that("a good classifier is not turned round", {
  auc <- multiclass_auc(fixture("ok_multiclass.csv"))
  expect_true(all(as.data.frame(auc)$estimate > 0.6))
})

test_that("with two classes the means are the AUC", {
  values <- as.data.frame(multiclass_auc(fixture("ok_binary.csv")))
  expect_equal(values$estimate, rep(roc_curve(fixture("ok_binary.csv"))$auc, 5))
})

test_that("an absent class is left out of the means and named", {
  values <- as.data.frame(multiclass_auc(fixture("ok_absent_class.csv")))
  expect_identical(
    values$reason[1:4],
    c(rep("left out: class 'bird' does not occur in the truth", 3),
      "class 'bird' does not occur in the truth")
  )
  table <- as.data.frame(read_predictions(fixture("ok_absent_class.csv")))
  table$true_label <- as.character(table$true_label)
  expect_equal(values$estimate[1], hand_till_by_pairs(table))
  expect_identical(values$estimate[4], NA_real_)
  expect_equal(values$estimate[2], mean(values$estimate[5:6]))
})

test_that("one class in the truth leaves no AUC", {
  p <- decided(c("a", "a"), c("a", "b"), c("a", "b", "c"))
  values <- as.data.frame(multiclass_auc(p))
  expect_true(all(is.na(values$estimate)))
  expect_identical(
    values$reason,
    c(rep("only class 'a' occurs in the truth", 4),
      "class 'b' does not occur in the truth", "class 'c' does not occur in the truth")
  )
})

test_that("too few examples, of a class or of the rest, leave no interval", {
  table <- random_table(3, n = 20, k = 3)
  table$true_label <- c("a", rep("b", 19))
  reason <- as.data.frame(multiclass_auc(table))$reason
  expect_identical(reason[4], "no interval: fewer than two examples of class 'a'")
  expect_identical(reason[5], "no interval: fewer than two examples of classes other than 'b'")
})
