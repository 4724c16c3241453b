import type { Step } from './steps.ts'

const MARKS: Readonly<Record<Step['state'], string>> = { done: '✓', current: '●', failed: '✗', 'to come': '○' }

export function StepList({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <ol className="steps">
      {steps.map(({ name, state, text }) => (
        <li key={name} className={`step is-${state.replace(' ', '-')}`} aria-current={state === 'current' ? 'step' : undefined}>
          <span className="step-mark" aria-hidden="true">
            {MARKS[state]}
          </span>
          <span className="step-name">
            {name} <span className="visually-hidden">({state})</span>
          </span>
          <span className="step-text">{text}</span>
        </li>
      ))}
    </ol>
  )
}
