import type { ReactNode } from 'react'
import { Command } from './command.tsx'

/** Why a list is empty, and a command that changes it. */
export function TryIt({ command, children }: { readonly command: string; readonly children: ReactNode }) {
  return (
    <div className="empty try-it">
      <p>{children}</p>
      <Command text={command} />
    </div>
  )
}
