package budget
