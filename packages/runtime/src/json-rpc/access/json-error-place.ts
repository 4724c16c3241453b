/** Finds the position itself, because some parser versions do not report it. */

export function jsonErrorPlace(text: string): string {
  if (endsTooEarly(text)) return 'the text ends too early'
  let good = 0
  let bad = text.length
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (endsTooEarly(text.slice(0, middle))) good = middle
    else bad = middle
  }
  const lines = text.slice(0, bad).split('\n')
  return `line ${lines.length}, column ${lines.at(-1)?.length}`
}

function endsTooEarly(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const { message } = error as Error
    return /end of JSON|Unterminated/.test(message) || /at position (\d+)/.exec(message)?.[1] === String(text.length)
  }
}
