import { CopyButton } from '../copy-button.tsx'

/** A command for a terminal in the folder of the release. */
export function Command({ text }: { readonly text: string }) {
  return (
    <div className="command">
      <code>{text}</code> <CopyButton text={text} what="the command" />
    </div>
  )
}
