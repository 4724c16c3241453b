import { useState } from 'react'
import { formatCount } from '../../format/amounts.ts'
import { CopyButton } from '../../parts/copy-button.tsx'

/** The files of a source; the one with the contract is shown first. */
export function SourceTabs({ sources, first }: { readonly sources: Readonly<Record<string, string>>; readonly first: string }) {
  const files = [first, ...Object.keys(sources).filter((file) => file !== first)]
  const [chosen, setChosen] = useState(first)
  const text = sources[chosen] ?? ''
  return (
    <section className="card">
      <div className="card-head">
        <h2>Source</h2>
        <CopyButton text={text} what={chosen} />
      </div>
      <div className="source-files">
        {files.map((file) => (
          <button key={file} type="button" className="button is-plain" aria-pressed={file === chosen} onClick={() => setChosen(file)}>
            {file}
          </button>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable with the keyboard */}
      <pre className="source" tabIndex={0}>
        {text}
      </pre>
      <p className="hint">{formatCount(text.split('\n').length)} lines</p>
    </section>
  )
}
