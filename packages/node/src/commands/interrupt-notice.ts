/** What Ctrl-C says while a command waits for something that continues without it. A process runs one command, so it has one notice. */

/** 128 plus the number of the signal, as shells expect. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const
const SIGNALS = Object.keys(EXIT_CODES) as readonly (keyof typeof EXIT_CODES)[]

let notice: string | null = null

/** `text` names what continues and the command that shows it. Null restores the default, which is to end without a word. */
export function sayIfInterrupted(text: string | null): void {
  if (notice === null && text !== null) for (const signal of SIGNALS) process.on(signal, leave)
  if (notice !== null && text === null) for (const signal of SIGNALS) process.off(signal, leave)
  notice = text
}

function leave(signal: keyof typeof EXIT_CODES): void {
  console.error(`keelson: interrupted: ${notice}`)
  process.exit(EXIT_CODES[signal])
}
