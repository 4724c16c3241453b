import { Component, type ReactNode } from 'react'

/** Keeps the navigation usable when a page fails. */
export class PageGuard extends Component<{ readonly children: ReactNode }, { readonly failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return (
      <section className="card notice is-bad" role="alert">
        <h1>This page failed</h1>
        <p>Reload it; if it fails again, the log of the browser says why.</p>
        <button type="button" className="button" onClick={() => location.reload()}>
          Reload
        </button>
      </section>
    )
  }
}
