// Where the parts of the prelude say what scripts see. Families are made once per context and shared by its runs;
// what differs from run to run is made by the functions given to `addV8Member`.
(function defineMembers(kit) {
  const families = { __proto__: null };
  const runMembers = [];
  const lazyMembers = { __proto__: null };
  const getters = [];

  // A member of `V8` made for every run. `make` gets the run's ScriptInput.
  kit.addV8Member = (name, make) => {
    refuseTaken(families, name);
    for (let i = 0; i < runMembers.length; i++) if (runMembers[i].name === name) refuse(name);
    runMembers[runMembers.length] = { __proto__: null, name, make };
  };

  // A finished family: a frozen object, the same for every run.
  kit.addV8Family = (name, family) => {
    refuseTaken(families, name);
    families[name] = family;
  };

  // One function of a family, by its path under `V8`. Families on the way are made, and frozen when all parts ran.
  kit.addFamilyMember = (path, value) => {
    const dot = kit.lastIndexOf(path, '.');
    const family = kit.familyAt(kit.slice(path, 0, dot));
    const name = kit.slice(path, dot + 1);
    refuseTaken(family, name);
    family[name] = value;
  };

  // The family at a path such as `Method` or `System.Text`: open until all parts ran.
  kit.familyAt = (path) => {
    const dot = kit.lastIndexOf(path, '.');
    if (dot >= 0) return childOf(kit.familyAt(kit.slice(path, 0, dot)), kit.slice(path, dot + 1));
    if (families[path] === undefined) kit.addV8Family(path, {});
    return families[path];
  };

  // A global of scripts: they may assign another value, for the rest of their run.
  kit.defineGlobal = (name, value) => {
    refuseTaken(globalThis, name);
    kit.defineHidden(globalThis, name, value);
  };

  // A member that is asked for at its first use in a run, and then is the same value for the rest of it.
  kit.addLazyV8Member = (name, read) => {
    refuseTaken(lazyMembers, name);
    lazyMembers[name] = read;
    // One getter for all runs: with one of its own every run's `V8` would have a shape of its own, and no access to it
    // would ever be fast.
    getters[getters.length] = { __proto__: null, name, get: kit.publicFunction(`get ${name}`, readLazyMember, name) };
  };

  // A copy of an ordinary object is made in one step; one of `families`, which has no prototype, is not.
  let template;

  kit.makeV8 = (input) => {
    template ??= makeTemplate();
    const v8 = { ...template };
    for (let i = 0; i < getters.length; i++) kit.defineVisibleGetter(v8, getters[i].name, getters[i].get);
    for (let i = 0; i < runMembers.length; i++) v8[runMembers[i].name] = runMembers[i].make(input);
    return v8;
  };

  function makeTemplate() {
    const made = {};
    for (const name in families) kit.defineEntry(made, name, families[name]);
    for (let i = 0; i < runMembers.length; i++) kit.defineEntry(made, runMembers[i].name, undefined);
    return made;
  }

  kit.sealMembers = () => {
    for (const name in families) kit.freezeDeep(families[name]);
  };

  function readLazyMember(name) {
    kit.cur.lazyMembers ??= { __proto__: null };
    if (!kit.hasOwn(kit.cur.lazyMembers, name)) kit.cur.lazyMembers[name] = lazyMembers[name]();
    return kit.cur.lazyMembers[name];
  }

  function childOf(family, name) {
    if (!kit.hasOwn(family, name)) family[name] = {};
    return family[name];
  }

  // A family is a plain object with functions and families in it; a function is frozen where it is made.
  kit.freezeDeep = (family) => {
    const names = kit.keys(kit.freeze(family));
    for (let i = 0; i < names.length; i++) {
      const { value } = kit.ownProperty(family, names[i]);
      if (typeof value === 'object' && value !== null) kit.freezeDeep(value);
    }
    return family;
  };

  function refuseTaken(object, name) {
    if (kit.hasOwn(object, name)) refuse(name);
  }

  // Ends the lane at its start: two parts that claim one name are a fault of ours.
  function refuse(name) {
    throw new kit.ErrorConstructor(`two parts of the prelude define ${name}`);
  }
});
