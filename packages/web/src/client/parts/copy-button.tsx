import { useState } from 'react'
import { after } from '../data/browser-clock.ts'

const SHOWN_MS = 1_500

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    after(SHOWN_MS, () => setCopied(false))
  }
  return (
    <button type="button" className="copy-button" aria-label={`Copy ${what}`} title={`Copy ${what}`} onClick={() => void copy()}>
      {copied ? 'copied' : 'copy'}
    </button>
  )
}
