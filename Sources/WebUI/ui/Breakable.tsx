/** An address that is too long for its line breaks after its `@`. */
export function Breakable({ address }: { address: string }) {
  const at = address.lastIndexOf("@") + 1;
  return (
    <span>
      {address.slice(0, at)}
      <wbr />
      {address.slice(at)}
    </span>
  );
}
