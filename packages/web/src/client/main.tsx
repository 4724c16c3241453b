import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import type { ConfigDocument } from '../shared/config-document.ts'
import { ConfigProvider } from './data/config.ts'
import { getJson } from './data/get-json.ts'
import { Shell } from './shell/shell.tsx'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/parts.css'

async function start(): Promise<void> {
  const root = createRoot(document.getElementById('root') as HTMLElement)
  try {
    const config = await getJson<ConfigDocument>('/config.json')
    root.render(
      <StrictMode>
        <ConfigProvider value={config}>
          <Shell />
        </ConfigProvider>
      </StrictMode>,
    )
  } catch {
    root.render(
      <main className="unreachable">
        <h1>The server of these pages does not answer</h1>
        <p>Check that it runs, and reload.</p>
        <button type="button" className="button" onClick={() => location.reload()}>
          Reload
        </button>
      </main>,
    )
  }
}

void start()
