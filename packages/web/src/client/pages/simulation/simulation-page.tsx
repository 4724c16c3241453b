import { useState } from 'react'
import type { Recording } from '../../../shared/recording/index.ts'
import { useTitle } from '../../shell/use-title.ts'
import { OpenRecording } from './open-recording.tsx'
import { RecordingView } from './recording-view.tsx'
import './simulation.css'

interface Opened {
  readonly recording: Recording
  readonly name: string
  /** Tells recordings apart. */
  readonly count: number
}

export function SimulationPage() {
  useTitle('Simulation')
  const [opened, setOpened] = useState<Opened | null>(null)
  return (
    <>
      <h1>Simulation</h1>
      <section className="card sim-open" aria-label="The recording">
        {opened === null ? (
          <p>
            Plays a run of a whole network on simulated time. <code>npm run simulate -- --seed 7 --faults swarm --record FILE</code> writes
            a recording.
          </p>
        ) : (
          <p>
            <strong>{opened.name}</strong> <span className="muted">{describe(opened.recording)}</span>
          </p>
        )}
        <OpenRecording opened={(recording, name) => setOpened((before) => ({ recording, name, count: (before?.count ?? 0) + 1 }))} />
      </section>
      {opened !== null && <RecordingView key={opened.count} recording={opened.recording} />}
    </>
  )
}

function describe({ header: { seed, about }, faults, violations, isCut }: Recording): string {
  const end = isCut ? '; the file is cut off, and its end is missing' : ''
  const counts = `seed ${seed}, faults: ${faults.length}, violations: ${violations.length}${end}`
  return about === '' ? counts : `${about}: ${counts}`
}
