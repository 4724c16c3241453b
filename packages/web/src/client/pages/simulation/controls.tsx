import { type Player, SPEEDS } from './use-player.ts'

export interface ControlsProps {
  readonly player: Player
  jumpToFault(direction: 1 | -1): void
}

export function Controls({ player, jumpToFault }: ControlsProps) {
  const { isPlaying, speed, toggle, step, setSpeed } = player
  return (
    <div className="sim-controls">
      <button type="button" className="button" onClick={toggle} aria-keyshortcuts="Space">
        {isPlaying ? 'Pause' : 'Play'}
      </button>
      <button type="button" className="button is-plain" onClick={() => step(-1)} aria-keyshortcuts="ArrowLeft">
        Step back
      </button>
      <button type="button" className="button is-plain" onClick={() => step(1)} aria-keyshortcuts="ArrowRight">
        Step
      </button>
      <button type="button" className="button is-plain" onClick={() => jumpToFault(-1)} aria-keyshortcuts="p">
        Previous fault
      </button>
      <button type="button" className="button is-plain" onClick={() => jumpToFault(1)} aria-keyshortcuts="n">
        Next fault
      </button>
      <label className="sim-speed">
        Speed{' '}
        <select value={speed} onChange={(event) => setSpeed(Number(event.target.value))}>
          {SPEEDS.map((one) => (
            <option key={one} value={one}>
              {one} {one === 1 ? 'time' : 'times'} real time
            </option>
          ))}
        </select>
      </label>
      <span className="muted sim-keys">Keys: space, arrows (with shift a minute), n and p for faults, + and - for the speed</span>
    </div>
  )
}
