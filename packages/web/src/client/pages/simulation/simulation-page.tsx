import { useEffect, useState } from 'react'
import type { Recording } from '../../../shared/recording/index.ts'
import { Command } from '../../parts/command/command.tsx'
import { useTitle } from '../../shell/use-title.ts'
import { fetchExample } from './example.ts'
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
  useEffect(() => {
    const leaving = new AbortController()
    // Without the example, the page still opens files.
    fetchExample(leaving.signal).then(
      (recording) => setOpened((before) => before ?? { recording, name: 'An example', count: 0 }),
      () => undefined,
    )
    return () => leaving.abort()
  }, [])
  return (
    <>
      <h1>Simulation</h1>
      <section className="card sim-open" aria-label="The recording">
        <p>A run of a whole network, with production code on simulated time and with faults that follow from its seed. Yours comes from</p>
        <Command text="npm run simulate -- --seed 7 --faults swarm --record FILE" />
        {opened !== null && (
          <p>
            <strong>{opened.name}</strong> <span className="muted">{describe(opened.recording)}</span>
          </p>
        )}
        <OpenRecording opened={(recording, name) => setOpened((before) => ({ recording, name, count: (before?.count ?? 0) + 1 }))} />
      </section>
      {opened !== null && (
        <RecordingView key={opened.count} recording={opened.recording} playsAtOnce={opened.count === 0 && !prefersStillness()} />
      )}
    </>
  )
}

function prefersStillness(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

function describe({ header: { seed, about }, faults, violations, isCut }: Recording): string {
  const end = isCut ? '; the file is cut off, and its end is missing' : ''
  const counts = `seed ${seed}, faults: ${faults.length}, violations: ${violations.length}${end}`
  return about === '' ? counts : `${about}: ${counts}`
}
