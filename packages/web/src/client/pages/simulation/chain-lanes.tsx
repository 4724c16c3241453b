import { type Frame, HEAD_LABELS, type Heads, type Machine } from '../../../shared/recording/index.ts'
import { formatCount } from '../../format/amounts.ts'
import { type Scale, scaleOf, stateOf, stateWords } from './playback.ts'

const L2_STEP = 100
const L1_STEP = 20

/** A lane for each chain, all lanes of L2 on one scale. */
export function ChainLanes({ machines, frame }: { readonly machines: readonly Machine[]; readonly frame: Frame }) {
  const { l1 } = frame
  const nodes = frame.machines.flatMap(({ heads }, i) => (heads === null ? [] : [{ heads, machine: machines[i] as Machine, i }]))
  const scale = scaleOf(
    nodes.flatMap(({ heads }) => [heads.finalized.number, heads.unsafe.number]),
    L2_STEP,
  )
  return (
    <ul className="sim-lanes">
      <li className="sim-lane">
        <span className="sim-lane-name">
          L1 <span className={`badge ${l1.stalled ? 'is-bad' : ''}`}>{l1.stalled ? 'stalled' : `branch ${l1.branch}`}</span>
        </span>
        <Track
          scale={scaleOf([l1.finalized, l1.number], L1_STEP)}
          marks={[
            { label: 'unsafe', number: l1.number },
            { label: 'finalized', number: l1.finalized },
          ]}
        />
        <span className="sim-lane-heads">
          <HeadText label="newest" number={l1.number} hash={l1.hash} />
          <span className="is-finalized">final {formatCount(l1.finalized)}</span>
        </span>
      </li>
      {nodes.map(({ heads, machine, i }) => (
        <Lane
          key={machine.name}
          machine={machine}
          frame={frame.machines[i]}
          heads={heads}
          scale={scale}
          differs={frame.differing.includes(i)}
        />
      ))}
    </ul>
  )
}

interface LaneProps {
  readonly machine: Machine
  readonly frame: Frame['machines'][number] | undefined
  readonly heads: Heads
  readonly scale: Scale
  readonly differs: boolean
}

function Lane({ machine, frame, heads, scale, differs }: LaneProps) {
  const isWell = stateOf(frame).state === 'running'
  return (
    <li className={`sim-lane ${differs ? 'is-differing' : ''}`}>
      <span className="sim-lane-name">
        {machine.name} <span className={`badge ${isWell ? 'is-good' : 'is-bad'}`}>{stateWords(machine, frame)}</span>
        {differs && <span className="badge is-bad">other chain</span>}
      </span>
      <Track scale={scale} marks={HEAD_LABELS.map((label) => ({ label, number: heads[label].number }))} />
      <span className="sim-lane-heads">
        {HEAD_LABELS.map((label) => (
          <HeadText key={label} label={label} number={heads[label].number} hash={heads[label].hash} />
        ))}
      </span>
    </li>
  )
}

function HeadText({ label, number, hash }: { readonly label: string; readonly number: number; readonly hash: string }) {
  return (
    <span className={`is-${label}`}>
      {label} {formatCount(number)} <span className="hex muted">{hash}</span>
    </span>
  )
}

interface TrackProps {
  readonly scale: Scale
  /** The longest first. */
  readonly marks: readonly { readonly label: string; readonly number: number }[]
}

function Track({ scale: { from, to }, marks }: TrackProps) {
  const at = (number: number) => `${Math.round(1000 * Math.min(1, Math.max(0, (number - from) / (to - from)))) / 10}%`
  return (
    <span className="sim-track" aria-hidden="true">
      {marks.map(({ label, number }) => (
        <span key={label} className={`sim-bar is-${label}`} style={{ width: at(number) }} />
      ))}
      <span className="sim-scale">{formatCount(from)}</span>
      <span className="sim-scale">{formatCount(to)}</span>
    </span>
  )
}
