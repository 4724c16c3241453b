import { type FormEvent, useState } from 'react'
import { nowMs } from '../../data/browser-clock.ts'
import { Refusal } from '../../data/get-json.ts'
import { contractsIn } from '../../data/standard-json.ts'
import { useIndex } from '../../data/use-index.ts'
import { useNow } from '../../data/use-now.ts'
import { type ContractDocument, uploadSources, type VerificationLimits } from '../../data/verification.ts'
import { formatBytes, formatCount } from '../../format/amounts.ts'
import { Notice } from '../../parts/notice.tsx'
import { type Chosen, SourcesInput } from './sources-input.tsx'

export interface UploadFormProps {
  readonly contract: ContractDocument
  onVerified(): void
}

/** The index compiles what is sent here and compares it with the code on chain. */
export function UploadForm({ contract, onVerified }: UploadFormProps) {
  const limits = useIndex<VerificationLimits>('/verification')
  const [chosen, setChosen] = useState<Chosen>({ standardJson: null, problem: null })
  const [name, setName] = useState('')
  const [version, setVersion] = useState<string | null>(null)
  const [sentAtMs, setSentAtMs] = useState<number | null>(null)
  const [refusal, setRefusal] = useState<Error | null>(null)
  if (limits.data === null) return <Notice error={limits.error} what="the form for sources" />
  const { data: rules } = limits
  const names = contractsIn(chosen.standardJson)
  const qualified = names.includes(name) ? name : (names.at(-1) ?? '')
  const [newest = ''] = rules.compilers
  const oldest = rules.compilers.at(-1) ?? newest
  const { compiledWith } = contract
  const named = rules.compilers.find((one) => one.startsWith(`${compiledWith}+`))
  const compilerVersion = version ?? named ?? newest
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const submission = { compilerVersion, contract: qualified, standardJson: chosen.standardJson }
    const bytes = new TextEncoder().encode(JSON.stringify(submission)).length
    if (bytes > rules.maxBytes) return setRefusal(tooLarge(bytes, rules.maxBytes))
    setRefusal(null)
    setSentAtMs(nowMs())
    try {
      await uploadSources(contract.address, submission, rules)
      onVerified()
    } catch (error) {
      setRefusal(error instanceof Error ? error : new Error(String(error)))
    } finally {
      setSentAtMs(null)
    }
  }
  return (
    <section className="card">
      <h2>Verify the source</h2>
      <p className="hint">
        Nobody has shown the source of this contract yet. Send it with its settings: the index compiles it and compares the result with the
        code on chain. Constructor arguments are found by themselves.
      </p>
      {compiledWith !== null && named === undefined && (
        <p className="notice-line" role="status">
          The code says that solc {compiledWith} compiled it. It is not among the releases from {releaseOf(oldest)} to {releaseOf(newest)}{' '}
          that are here, so no source can match.
        </p>
      )}
      <form className="upload" onSubmit={(event) => void submit(event)}>
        <SourcesInput onChange={setChosen} limits={rules} />
        <label htmlFor="upload-contract">Contract</label>
        <select
          id="upload-contract"
          className="text-input"
          value={qualified}
          onChange={(event) => setName(event.target.value)}
          disabled={names.length === 0}
        >
          {names.length === 0 && <option value="">Choose the sources first</option>}
          {names.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <label htmlFor="upload-compiler">Compiler version</label>
        <input
          id="upload-compiler"
          className="text-input hex"
          value={compilerVersion}
          onChange={(event) => setVersion(event.target.value)}
          spellCheck={false}
          maxLength={64}
          required
        />
        <p className="hint">
          Releases of solc from {releaseOf(oldest)} to {releaseOf(newest)}. At most {formatBytes(rules.maxBytes)} in{' '}
          {formatCount(rules.maxSources)} files, and {rules.maxSeconds} s for the compiler.
        </p>
        <button type="submit" className="button" disabled={sentAtMs !== null || qualified === ''}>
          {sentAtMs === null ? 'Compile and compare' : 'Compiling'}
        </button>
      </form>
      {sentAtMs !== null && <Progress sinceMs={sentAtMs} limits={rules} />}
      {chosen.problem !== null && <p className="notice-line">{chosen.problem}</p>}
      {sentAtMs === null && refusal !== null && <Refused error={refusal} />}
    </section>
  )
}

function Progress({ sinceMs, limits }: { readonly sinceMs: number; readonly limits: VerificationLimits }) {
  const seconds = Math.max(0, Math.round((useNow() - sinceMs) / 1_000))
  return (
    <p className="hint" role="status">
      <progress aria-label="The compiler is at work" /> {seconds} s. One contract is compiled at a time, so this may take up to{' '}
      {limits.maxWaitSeconds} s.
    </p>
  )
}

function Refused({ error }: { readonly error: Error }) {
  const expected = error instanceof Refusal ? error.expected : null
  return (
    <div className="upload-refusal" role="alert">
      <strong>Not verified</strong>
      <pre>{error.message}</pre>
      {expected !== null && <p>Expected: {expected}</p>}
    </div>
  )
}

function tooLarge(bytes: number, maxBytes: number): Refusal {
  return new Refusal(413, `The sources with their settings have ${formatBytes(bytes)}.`, `at most ${formatBytes(maxBytes)}`)
}

function releaseOf(version: string): string {
  return version.split('+')[0] ?? version
}
