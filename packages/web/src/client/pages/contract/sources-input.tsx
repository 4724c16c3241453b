import { type ChangeEvent, useState } from 'react'
import { type Settings, standardJsonOf } from '../../data/standard-json.ts'
import type { VerificationLimits } from '../../data/verification.ts'
import { formatBytes } from '../../format/amounts.ts'

export interface Chosen {
  /** Null until there is one. */
  readonly standardJson: unknown
  readonly problem: string | null
}

export interface SourcesInputProps {
  readonly limits: VerificationLimits
  onChange(chosen: Chosen): void
}

interface SourceFile {
  readonly path: string
  readonly content: string
}

const NEWEST_EVM = 'default'
const EVM_VERSIONS = [NEWEST_EVM, 'osaka', 'prague', 'cancun', 'shanghai', 'paris', 'london', 'berlin', 'istanbul']
const DEFAULTS: Settings = { optimizer: { enabled: false, runs: 200 }, viaIR: false }

/** Solidity files with settings, or the compiler's standard JSON input in one file. */
export function SourcesInput({ limits, onChange }: SourcesInputProps) {
  const [files, setFiles] = useState<readonly SourceFile[]>([])
  const [settings, setSettings] = useState(DEFAULTS)
  const isJson = files.length === 1 && files[0]?.path.endsWith('.json') === true
  const report = (nextFiles: readonly SourceFile[], nextSettings: Settings) => {
    setFiles(nextFiles)
    setSettings(nextSettings)
    onChange(chosenOf(nextFiles, nextSettings, limits))
  }
  const read = async (event: ChangeEvent<HTMLInputElement>) => {
    const given = [...(event.target.files ?? [])]
    const bytes = given.reduce((sum, { size }) => sum + size, 0)
    if (bytes > limits.maxBytes || given.length > limits.maxSources) {
      setFiles([])
      return onChange({ standardJson: null, problem: `Too much to send: ${formatBytes(bytes)} in ${given.length} files.` })
    }
    const paths = given.map(({ name, webkitRelativePath }) => webkitRelativePath || name)
    const contents = await Promise.all(given.map((file) => file.text()))
    report(
      paths.map((path, i) => ({ path, content: contents[i] ?? '' })),
      settings,
    )
  }
  const rename = (at: number, path: string) =>
    report(
      files.map((file, i) => (i === at ? { ...file, path } : file)),
      settings,
    )
  const change = (changes: Partial<Settings>) => report(files, { ...settings, ...changes })
  const { optimizer, viaIR } = settings
  return (
    <>
      <label htmlFor="upload-files">Solidity files, or one file with the compiler's standard JSON input</label>
      <input id="upload-files" type="file" multiple accept=".sol,.json" onChange={(event) => void read(event)} />
      {!isJson && files.length > 0 && (
        <fieldset className="upload-group">
          <legend>Paths, as the imports name them</legend>
          {files.map(({ path }, i) => (
            <input
              // biome-ignore lint/suspicious/noArrayIndexKey: the path is what is edited
              key={i}
              className="text-input hex"
              aria-label={`Path of file ${i + 1}`}
              value={path}
              onChange={(event) => rename(i, event.target.value)}
              spellCheck={false}
            />
          ))}
        </fieldset>
      )}
      {!isJson && (
        <fieldset className="upload-group upload-settings">
          <legend>Settings</legend>
          <label>
            <input
              type="checkbox"
              checked={optimizer.enabled}
              onChange={(event) => change({ optimizer: { ...optimizer, enabled: event.target.checked } })}
            />{' '}
            Optimizer
          </label>
          <label>
            Runs{' '}
            <input
              className="text-input"
              type="number"
              min={0}
              max={4_294_967_295}
              value={optimizer.runs}
              onChange={(event) => change({ optimizer: { ...optimizer, runs: event.target.valueAsNumber || 0 } })}
            />
          </label>
          <label>
            <input type="checkbox" checked={viaIR} onChange={(event) => change({ viaIR: event.target.checked })} /> Via IR
          </label>
          <label>
            EVM version{' '}
            <select
              className="text-input"
              value={settings.evmVersion ?? NEWEST_EVM}
              onChange={(event) => report(files, withEvm(settings, event.target.value))}
            >
              {EVM_VERSIONS.map((version) => (
                <option key={version}>{version}</option>
              ))}
            </select>
          </label>
        </fieldset>
      )}
    </>
  )
}

function withEvm({ evmVersion: _, ...others }: Settings, version: string): Settings {
  return version === NEWEST_EVM ? others : { ...others, evmVersion: version }
}

function chosenOf(files: readonly SourceFile[], settings: Settings, { maxSources }: VerificationLimits): Chosen {
  const [only] = files
  if (only === undefined) return { standardJson: null, problem: null }
  if (files.length > 1 || !only.path.endsWith('.json')) {
    const sources = Object.fromEntries(files.map(({ path, content }) => [path, content]))
    const problem = Object.keys(sources).length < files.length ? 'Two files have the same path.' : null
    return { standardJson: problem === null ? standardJsonOf(sources, settings) : null, problem }
  }
  try {
    const { language, sources, settings: given } = JSON.parse(only.content) as { language?: unknown; sources?: object; settings?: unknown }
    if (Object.keys(sources ?? {}).length > maxSources) return { standardJson: null, problem: `More than ${maxSources} sources.` }
    return { standardJson: { language, sources, settings: given }, problem: null }
  } catch {
    return { standardJson: null, problem: `${only.path} is not JSON.` }
  }
}
