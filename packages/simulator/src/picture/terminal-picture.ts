/** A snapshot as lines of text for a terminal. */
import { type FaultMark, HEAD_LABELS, type Heads, type MachineFrame } from '@keelson/web/recording'
import { timeOf } from '../faults/story.ts'
import type { Snapshot } from './snapshot.ts'

export interface PictureSize {
  readonly columns: number
  readonly rows: number
}

export interface PictureOptions extends PictureSize {
  /** The first line. */
  readonly title: string
  /** Simulated seconds in one real second; null if it is not known yet. */
  readonly speed: number | null
}

type Colour = 'green' | 'yellow' | 'blue' | 'red' | 'dim' | 'bold'

const CODES: Readonly<Record<Colour, number>> = { green: 32, yellow: 33, blue: 34, red: 31, dim: 2, bold: 1 }
const HEAD_COLOURS = { unsafe: 'yellow', safe: 'blue', finalized: 'green' } as const
const ESCAPE = '\u001b'
const LEAST_BAR = 10
const MOST_BAR = 60
const NAME_WIDTH = 14
/** "frozen consensus". */
const STATE_WIDTH = 16
/** "999999 12345678" and a space. */
const HEAD_WIDTH = 17
/** Narrow terminals get heads without hashes. */
const NUMBER_WIDTH = 9
const LEAST_COLUMNS_OF_HASHES = NAME_WIDTH + STATE_WIDTH + 3 * HEAD_WIDTH + LEAST_BAR + 12
const LAST_EVENTS = 6
const LONGEST_LIST = 8
const MOST_VIOLATIONS = 4
const MS_PER_SEC = 1_000

/** No line is longer than the terminal is wide, and there are no more lines than it has rows. */
export function drawPicture({ machines, frame, faults, violations }: Snapshot, options: PictureOptions): readonly string[] {
  const { columns, rows, title, speed } = options
  const { l1, counters, badLinks, atMs } = frame
  const current = faults.filter((fault) => fault.atMs <= atMs && atMs < fault.atMs + fault.durationMs)
  const highest = Math.max(1, ...frame.machines.map(({ heads }) => heads?.unsafe.number ?? 0))
  const lowest = Math.min(highest - 1, ...frame.machines.map(({ heads }) => heads?.finalized.number ?? highest))
  const headWidth = columns < LEAST_COLUMNS_OF_HASHES ? NUMBER_WIDTH : HEAD_WIDTH
  const scale = { headWidth, from: lowest, to: highest, barWidth: barWidth(columns, headWidth) }
  const lines = [
    [paint('bold', `${timeOf(atMs)}  ${title}`), speed === null ? '' : paint('dim', `  ${Math.round(speed)} times real time`)].join(''),
    `L1 ${l1.number} ${l1.hash}, final ${l1.finalized}, branch ${l1.branch}${l1.stalled ? paint('red', ', stalled') : ''}   ` +
      `transactions ${counters.transactions}, batches ${counters.batches}, proposals ${counters.proposals}`,
    ...violations.slice(-MOST_VIOLATIONS).map(({ atMs: when, rule, text }) => paint('red', `VIOLATION ${timeOf(when)} ${rule}: ${text}`)),
    ...(violations.length > MOST_VIOLATIONS ? [paint('red', `and ${violations.length - MOST_VIOLATIONS} violations before these`)] : []),
    '',
    titleLine(headWidth),
    ...machines.map((machine, i) => machineLine(machine, frame.machines[i], frame.differing.includes(i), scale)),
    '',
    `links: ${[...cutNames(machines, frame.cuts), ...(badLinks === null ? [] : [badWords(badLinks)])].join(', ') || 'all good'}`,
    ...section(
      'now',
      current.slice(-LONGEST_LIST).map((fault) => paint('yellow', lastingWords(fault, atMs))),
    ),
    ...section(
      'before',
      faults.slice(-LAST_EVENTS).map(({ atMs: began, kind, text }) => paint('dim', `${timeOf(began)} ${kind}: ${text}`)),
    ),
  ]
  return lines.slice(0, Math.max(1, rows - 1)).map((line) => shorten(line, columns))
}

interface Scale {
  readonly headWidth: number
  readonly from: number
  readonly to: number
  readonly barWidth: number
}

function titleLine(headWidth: number): string {
  const heads = HEAD_LABELS.map((label) => label.padEnd(headWidth))
  return paint('dim', `${'machine'.padEnd(NAME_WIDTH)} ${'state'.padEnd(STATE_WIDTH)} ${heads.join('')} finalized █ safe ▓ unsafe ░`)
}

function machineLine(
  { name, roles }: Snapshot['machines'][number],
  frame: MachineFrame | undefined,
  differs: boolean,
  scale: Scale,
): string {
  if (frame === undefined) return name
  const { word, colour } = stateOf(roles, frame, differs)
  const state = paint(colour, word.padEnd(STATE_WIDTH))
  const { heads } = frame
  if (heads === null) return `${name.padEnd(NAME_WIDTH)} ${state}`
  const numbers = HEAD_LABELS.map((label) => {
    const { number, hash } = heads[label]
    const text = scale.headWidth === HEAD_WIDTH ? `${number} ${hash}` : String(number)
    return paint(HEAD_COLOURS[label], text.padEnd(scale.headWidth))
  })
  return `${name.padEnd(NAME_WIDTH)} ${state} ${numbers.join('')} ${barOf(heads, scale)}`
}

/** A chain that differs from the others, or the worst of its processes. */
function stateOf(
  roles: readonly string[],
  { power, processes }: MachineFrame,
  differs: boolean,
): { readonly word: string; readonly colour: Colour } {
  if (differs) return { word: 'DIFFERS', colour: 'red' }
  if (!power) return { word: 'no power', colour: 'red' }
  for (const state of ['dead', 'frozen'] as const) {
    const which = roles.filter((_, i) => processes[i] === state)
    if (which.length === 0) continue
    const word = which.length === processes.length ? state : `${state} ${which[0]}`
    return { word: word.slice(0, STATE_WIDTH), colour: 'red' }
  }
  return { word: 'running', colour: 'green' }
}

/** Finalized, safe and unsafe blocks, on the same scale for all nodes. */
function barOf({ unsafe, safe, finalized }: Heads, { from, to, barWidth: width }: Scale): string {
  const at = (number: number) => Math.min(width, Math.max(0, Math.round((width * (number - from)) / (to - from))))
  const ends = [at(finalized.number), at(safe.number), at(unsafe.number)] as const
  const part = (colour: Colour, sign: string, begin: number, end: number) => (end > begin ? paint(colour, sign.repeat(end - begin)) : '')
  const drawn =
    part('green', '█', 0, ends[0]) + part('blue', '▓', ends[0], ends[1]) + part('yellow', '░', Math.max(ends[0], ends[1]), ends[2])
  return drawn + ' '.repeat(Math.max(0, width - Math.max(...ends)))
}

function barWidth(columns: number, headWidth: number): number {
  return Math.min(MOST_BAR, Math.max(LEAST_BAR, columns - NAME_WIDTH - STATE_WIDTH - 3 * headWidth - 4))
}

/** Pairs of machines, `a x b` if both directions are cut, `a x> b` for one. */
function cutNames(machines: Snapshot['machines'], cuts: Snapshot['frame']['cuts']): readonly string[] {
  const isCut = (a: number, b: number) => cuts.some(([from, to]) => from === a && to === b)
  const name = (i: number) => machines[i]?.name ?? '?'
  const pairs = cuts.filter(([from, to]) => from < to || !isCut(to, from))
  const words = pairs.slice(0, LONGEST_LIST).map(([from, to]) => paint('red', `${name(from)} ${isCut(to, from) ? 'x' : 'x>'} ${name(to)}`))
  return pairs.length > words.length ? [...words, `${pairs.length - words.length} more`] : words
}

function badWords({ lossPercent, duplicationPercent, jitterMs }: NonNullable<Snapshot['frame']['badLinks']>): string {
  return paint('yellow', `all lose ${lossPercent} %, double ${duplicationPercent} % and delay up to ${jitterMs} ms`)
}

function lastingWords({ kind, text, atMs, durationMs }: FaultMark, nowMs: number): string {
  return `${kind}: ${text}, for ${Math.round((atMs + durationMs - nowMs) / MS_PER_SEC)} s more`
}

function section(name: string, lines: readonly string[]): readonly string[] {
  return lines.map((line, i) => `${(i === 0 ? name : '').padEnd(7)}${line}`)
}

function paint(colour: Colour, text: string): string {
  return `${ESCAPE}[${CODES[colour]}m${text}${ESCAPE}[0m`
}

/** Codes of colours, which take no column, are kept. */
function shorten(line: string, columns: number): string {
  let left = columns
  const [first = '', ...coloured] = line.replace(/[\n\r\t]/g, ' ').split(ESCAPE)
  const cut = (text: string) => {
    const kept = [...text].slice(0, left)
    left -= kept.length
    return kept.join('')
  }
  const parts = coloured.map((part) => {
    const begin = part.indexOf('m') + 1
    return [part.slice(0, begin), part.slice(begin)] as const
  })
  return cut(first) + parts.map(([code, text]) => ESCAPE + code + cut(text)).join('')
}
