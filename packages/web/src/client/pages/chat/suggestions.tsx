const SUGGESTIONS = ['What is the price of ETH?', 'What can you do?', 'How much is 0.5 ETH in testUSD?', 'Swap 0.1 ETH for testUSD']

export function Suggestions({ onChoose, isBusy }: { readonly onChoose: (text: string) => void; readonly isBusy: boolean }) {
  return (
    <div className="suggestions">
      <h2>What do you want to know?</h2>
      <p className="muted">
        Answers name their sources. A wish to swap is quoted, and nothing is traded until you confirm the card that then appears.
      </p>
      <ul>
        {SUGGESTIONS.map((text) => (
          <li key={text}>
            <button type="button" className="button is-plain" disabled={isBusy} onClick={() => onChoose(text)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
