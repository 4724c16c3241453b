/** Redraws a terminal in place. */
export interface Terminal {
  readonly columns?: number
  readonly rows?: number
  write(text: string): unknown
}

const HIDE_CURSOR = '\x1b[?25l'
const SHOW_CURSOR = '\x1b[?25h'
const HOME = '\x1b[H'
const CLEAR_LINE = '\x1b[K'
const CLEAR_BELOW = '\x1b[J'
const CLEAR_ALL = '\x1b[2J'
const DEFAULT_ROWS = 24

export interface LiveScreen {
  draw(lines: readonly string[]): void
  end(): void
}

export function createLiveScreen(terminal: Terminal): LiveScreen {
  terminal.write(HIDE_CURSOR + CLEAR_ALL)
  return {
    draw(lines) {
      const shown = lines.slice(0, Math.max(1, (terminal.rows ?? DEFAULT_ROWS) - 1))
      terminal.write(`${HOME}${shown.map((line) => `${line}${CLEAR_LINE}\n`).join('')}${CLEAR_BELOW}`)
    },
    end: () => void terminal.write(SHOW_CURSOR),
  }
}
