import { type DragEvent, useId, useState } from 'react'
import type { Recording } from '../../../shared/recording/index.ts'
import { readFile } from './read-file.ts'

export interface OpenRecordingProps {
  opened(recording: Recording, name: string): void
}

/** A file picker on which files can be dropped. */
export function OpenRecording({ opened }: OpenRecordingProps) {
  const id = useId()
  const [error, setError] = useState<string | null>(null)
  const [isReading, setReading] = useState(false)
  const [isOver, setOver] = useState(false)
  const read = async (file: File | undefined) => {
    if (file === undefined) return
    setError(null)
    setReading(true)
    try {
      opened(await readFile(file), file.name)
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : String(problem))
    } finally {
      setReading(false)
    }
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void read(event.dataTransfer.files[0])
  }
  const over = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the file picker inside does the same for the keyboard
    <div className={`sim-drop ${isOver ? 'is-over' : ''}`} onDrop={drop} onDragOver={over} onDragLeave={() => setOver(false)}>
      <label htmlFor={id}>Open a recording</label>
      <input
        id={id}
        type="file"
        accept=".jsonl,.ndjson,.json"
        disabled={isReading}
        onChange={(event) => {
          void read(event.target.files?.[0])
          event.target.value = ''
        }}
      />
      <span className="muted">or drop the file here. It stays in this browser.</span>
      <p role="status" className={error === null ? 'muted' : 'bad-text'}>
        {isReading ? 'Reading the file.' : error === null ? '' : `This file cannot be played. ${error}`}
      </p>
    </div>
  )
}
