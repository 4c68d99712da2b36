// The global System (v8-surface.md 6.7): the few parts of .NET that scripts use. What is not here reads as undefined.
(function defineSystem(kit) {
  const { system } = kit;
  const callNewGuid = kit.makeHostCall('Method.NewGuid', 'NewGuid');
  const computeHash = kit.makeHostCall('System.ComputeHash', 'ComputeHash');

  system.Threading = { Thread: { Sleep: kit.makeHostCall('Action.Sleep', 'Sleep') } };
  system.Guid = { NewGuid: kit.publicFunction('NewGuid', () => makeGuid(callNewGuid())) };
  system.Math = {
    PI: kit.math.PI,
    E: kit.math.E,
    Ceiling: kit.publicFunction('Ceiling', (x) => kit.math.ceil(x)),
    Truncate: kit.publicFunction('Truncate', (x) => kit.trunc(x)),
    Round: kit.publicFunction('Round', (x, digits) => kit.roundHalfEven(x, digits)),
  };
  const SAME = ['Abs', 'Floor', 'Max', 'Min', 'Pow', 'Sqrt', 'Sign', 'Exp', 'Log10'];
  for (let i = 0; i < SAME.length; i++) {
    system.Math[SAME[i]] = kit.publicFunction(SAME[i], kit.math[kit.toLowerCase(SAME[i])]);
  }
  system.Security = { Cryptography: makeCryptography() };
  kit.defineGlobal('System', kit.freezeDeep(system));

  // A Guid is an object in .NET: written with dashes, or without by ToString('N').
  function makeGuid(text) {
    const write = (format) => (format === 'N' || format === 'n' ? kit.replaceAll(text, '-', '') : text);
    const guid = { ToString: kit.publicFunction('ToString', write) };
    kit.defineHidden(
      guid,
      'toString',
      kit.publicFunction('toString', () => text),
    );
    kit.defineHidden(
      guid,
      'toJSON',
      kit.publicFunction('toJSON', () => text),
    );
    return kit.freeze(guid);
  }

  function makeCryptography() {
    const cryptography = {};
    const NAMES = ['MD5', 'SHA1', 'SHA256', 'SHA512'];
    for (let i = 0; i < NAMES.length; i++) {
      cryptography[NAMES[i]] = { Create: kit.publicFunction('Create', makeDigest, NAMES[i]) };
      cryptography[`HMAC${NAMES[i]}`] = kit.publicFunction(`HMAC${NAMES[i]}`, makeHmac, NAMES[i]);
    }
    return cryptography;
  }

  function makeDigest(algorithm) {
    return makeHasher((data) => computeHash(algorithm, null, data));
  }

  // Called with `new`, which a bound function passes on.
  function makeHmac(algorithm, key) {
    return makeHasher((data) => computeHash(algorithm, key ?? '', data));
  }

  function makeHasher(compute) {
    return kit.freeze({ ComputeHash: kit.publicFunction('ComputeHash', compute) });
  }
});
