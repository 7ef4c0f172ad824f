# shellcheck shell=bash
# Guesses what was meant by a word that is not a command.

# Prints ' - did you mean "X"?' for the nearest candidate, or nothing.
#   suggestion WORD CANDIDATE...
suggestion() {
  local word=$1 candidate best='' distance
  # More than this many edits is another word.
  local least=$((${#word} / 2 + 1))
  shift
  for candidate; do
    if [[ $word && $candidate == "$word"* ]]; then
      best=$candidate
      break
    fi
    distance=$(edit_distance "$word" "$candidate")
    if ((distance < least)); then
      least=$distance
      best=$candidate
    fi
  done
  [[ ! $best ]] || printf ' - did you mean "%s"?' "$best"
}

# Prints the Levenshtein distance of two short words.
edit_distance() {
  local a=$1 b=$2 i j cost up
  local -a row=()
  for ((j = 0; j <= ${#b}; j++)); do
    row[j]=$j
  done
  for ((i = 1; i <= ${#a}; i++)); do
    local diagonal=${row[0]}
    row[0]=$i
    for ((j = 1; j <= ${#b}; j++)); do
      up=${row[j]}
      [[ ${a:i-1:1} == "${b:j-1:1}" ]] && cost=0 || cost=1
      cost=$((diagonal + cost))
      ((row[j - 1] + 1 >= cost)) || cost=$((row[j - 1] + 1))
      ((up + 1 >= cost)) || cost=$((up + 1))
      row[j]=$cost
      diagonal=$up
    done
  done
  printf '%s\n' "${row[${#b}]}"
}
