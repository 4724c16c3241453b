import type { BlockStatus, NodeStatus, Problem } from './node-status.ts'

const MGAS = 1_000_000
/** Narrower terminals show blocks without hash and gas. */
const WIDE = 72
const LEAST_WIDTH = 20
const UNKNOWN = 'not known'

/** No line is longer than `width`. */
export function renderStatus(status: NodeStatus, width: number): readonly string[] {
  const { heads, l1, peers, sync, blocks, problems } = status
  const columns = Math.max(LEAST_WIDTH, width)
  const head = (name: 'unsafe' | 'safe' | 'finalized'): string => {
    if (heads === null) return UNKNOWN
    const { number, ageSec } = heads[name]
    const behind = name === 'unsafe' ? '' : `, ${heads.unsafe.number - number} behind`
    return `${number}  ${age(ageSec)}${behind}`
  }
  const rows: readonly (readonly [string, string])[] = [
    ['unsafe', head('unsafe')],
    ['safe', head('safe')],
    ['finalized', head('finalized')],
    ['L1', l1 === null ? UNKNOWN : `${l1.head}  derivation ${l1.head - l1.derived} behind`],
    ['peers', peers === null ? UNKNOWN : String(peers)],
    ...(sync === null ? [] : [['sync', syncText(sync)] as const]),
  ]
  const lines = [
    ...rows.map(([name, value]) => `${name.padEnd(10)} ${value}`),
    '',
    ...blocks.map((block) => blockLine(block, columns)),
    '',
    ...(problems.length === 0 ? ['nothing is wrong'] : problems.flatMap((problem) => problemLines(problem, columns))),
  ]
  return lines.map((line) => (line.length <= columns ? line : line.slice(0, columns)))
}

function syncText({ stage, done, of, target }: NonNullable<NodeStatus['sync']>): string {
  return `fetches ${stage} from peers: ${((100 * done) / Math.max(1, of)).toFixed(1)} %  ${done} of ${of}, up to block ${target}`
}

/** A sequencer may finish a block up to a second before its time. */
function age(sec: number): string {
  if (sec < -1) return `${-sec} s ahead`
  return sec < 0 ? '0 s old' : sec < 120 ? `${sec} s old` : `${Math.floor(sec / 60)} min old`
}

function blockLine({ number, hash, ageSec, transactions, gasUsed, gasLimit }: BlockStatus, width: number): string {
  const narrow = [`block ${number}`, `txs ${transactions}`, age(ageSec)]
  if (width < WIDE) return narrow.join('  ')
  const full = ((100 * gasUsed) / gasLimit).toFixed(1)
  return [
    `block ${number}`,
    `${hash.slice(0, 10)}..${hash.slice(-4)}`,
    `txs ${String(transactions).padStart(3)}`,
    `gas ${(gasUsed / MGAS).toFixed(2).padStart(5)} M  ${full.padStart(5)}% full`,
    age(ageSec),
  ].join('  ')
}

function problemLines({ where, what, todo }: Problem, width: number): readonly string[] {
  return [...wrap(`wrong: ${where}: ${what}`, width, '  '), ...(todo === '' ? [] : wrap(`  do: ${todo}`, width, '    '))]
}

/** Later lines begin with `indent`. A longer word is cut by the caller. */
function wrap(text: string, width: number, indent: string): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/(?<=\S) /)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = indent + word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
