import type { FaultMark, Frame, Machine } from '../../../shared/recording/index.ts'
import { machineOfVictim, stateOf, stateWords } from './playback.ts'

interface Point {
  readonly x: number
  readonly y: number
}

const WIDTH = 540
const HEIGHT = 360
const BOX = { width: 112, height: 44 }
/** More machines are drawn as smaller boxes. */
const ROOMY = 10

export interface NetworkPictureProps {
  readonly machines: readonly Machine[]
  readonly frame: Frame
  /** Those that last. */
  readonly faults: readonly FaultMark[]
}

/** Machines on an ellipse, with a line for each pair. */
export function NetworkPicture({ machines, frame, faults }: NetworkPictureProps) {
  const shown = machines.slice(0, frame.machines.length)
  const places = shown.map((_, i) => placeOf(i, shown.length))
  const isDown = (i: number) => frame.machines[i]?.power === false
  return (
    <svg className="sim-network" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={wordsFor(shown, frame)}>
      <defs>
        <marker id="sim-arrow" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
          <path d="M0 0 10 5 0 10z" className="sim-arrow" />
        </marker>
      </defs>
      {places.map((a, i) =>
        places.slice(i + 1).map((b, k) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: machines keep their place
          <Link key={`${i}-${i + 1 + k}`} a={a} b={b} kind={linkKind(frame, i, i + 1 + k, isDown(i) || isDown(i + 1 + k))} />
        )),
      )}
      {shown.map((machine, i) => {
        const kinds = faults.filter(({ victim }) => machineOfVictim(victim) === machine.name).map(({ kind }) => kind)
        return (
          <MachineBox
            key={machine.name}
            name={machine.name}
            place={places[i] as Point}
            scale={shown.length > ROOMY ? ROOMY / shown.length : 1}
            state={stateOf(frame.machines[i]).state}
            words={stateWords(machine, frame.machines[i])}
            faults={[...new Set(kinds)].join(', ')}
            differs={frame.differing.includes(i)}
          />
        )
      })}
    </svg>
  )
}

interface MachineBoxProps {
  readonly name: string
  readonly place: Point
  readonly scale: number
  readonly state: string
  readonly words: string
  readonly faults: string
  readonly differs: boolean
}

function MachineBox({ name, place, scale, state, words, faults, differs }: MachineBoxProps) {
  const { width, height } = BOX
  return (
    <g
      className={`sim-machine is-${state.replace(' ', '-')} ${differs ? 'is-differing' : ''}`}
      transform={`translate(${place.x} ${place.y}) scale(${Math.max(0.55, scale)})`}
    >
      <rect x={-width / 2} y={-height / 2} width={width} height={height} rx="9" />
      <text y="-4" className="sim-machine-name">
        {name}
      </text>
      <text y="13" className="sim-machine-state">
        {differs ? 'other chain' : words}
      </text>
      {faults !== '' && (
        <text y={place.y > HEIGHT / 2 ? height / 2 + 15 : -height / 2 - 7} className="sim-machine-fault">
          {faults}
        </text>
      )}
    </g>
  )
}

type LinkKind = 'good' | 'bad' | 'down' | 'cut' | 'cut-forth' | 'cut-back'

function Link({ a, b, kind }: { readonly a: Point; readonly b: Point; readonly kind: LinkKind }) {
  const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }
  const line = <line x1={a.x} y1={a.y} x2={b.x} y2={b.y} className={`sim-link is-${kind}`} />
  if (kind === 'cut') {
    return (
      <>
        {line}
        <path className="sim-cross" d={`M${middle.x - 6} ${middle.y - 6}l12 12m0-12l-12 12`} />
      </>
    )
  }
  if (kind === 'cut-forth' || kind === 'cut-back') {
    const [from, to] = kind === 'cut-forth' ? [a, b] : [b, a]
    const end = { x: from.x + (to.x - from.x) * 0.55, y: from.y + (to.y - from.y) * 0.55 }
    return (
      <>
        {line}
        <line x1={from.x} y1={from.y} x2={end.x} y2={end.y} className="sim-link is-cut-way" markerEnd="url(#sim-arrow)" />
      </>
    )
  }
  return line
}

function linkKind({ cuts, badLinks }: Frame, a: number, b: number, isDown: boolean): LinkKind {
  const isCut = (from: number, to: number) => cuts.some((cut) => cut[0] === from && cut[1] === to)
  const [forth, back] = [isCut(a, b), isCut(b, a)]
  if (forth && back) return 'cut'
  if (forth) return 'cut-forth'
  if (back) return 'cut-back'
  if (isDown) return 'down'
  return badLinks === null ? 'good' : 'bad'
}

function placeOf(i: number, count: number): Point {
  const angle = (2 * Math.PI * i) / Math.max(1, count) - Math.PI / 2
  const round = (value: number) => Math.round(value * 10) / 10
  return {
    x: round(WIDTH / 2 + (WIDTH / 2 - BOX.width / 2 - 6) * Math.cos(angle)),
    y: round(HEIGHT / 2 + (HEIGHT / 2 - BOX.height / 2 - 24) * Math.sin(angle)),
  }
}

function wordsFor(machines: readonly Machine[], { machines: frames, cuts }: Frame): string {
  const unwell = machines.flatMap((machine, i) => {
    const { state } = stateOf(frames[i])
    return state === 'running' ? [] : [`${machine.name} ${stateWords(machine, frames[i])}`]
  })
  return `${machines.length} machines, ${unwell.length === 0 ? 'all running' : unwell.join(', ')}; ${cuts.length} links cut`
}
