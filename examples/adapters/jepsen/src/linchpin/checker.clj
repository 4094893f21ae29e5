(ns linchpin.checker
  "A checker for Jepsen that asks linchpin. It writes the history as it was given (of a key, under
  independent/checker) into the store, runs the program, and leaves its page beside it:

    (checker/compose {:linear (linchpin/checker {:spec \"cas-register\"})
                      :perf   (checker/perf)})

  It needs the program linchpin, and nothing but Clojure and Jepsen."
  (:require [clojure.java.io :as io]
            [clojure.java.shell :as shell]
            [clojure.string :as str]
            [jepsen [checker :as checker]
                    [store :as store]]))

(defn- write-history!
  "An operation a line. Records are written as the maps that they are."
  [file history]
  (with-open [out (io/writer file)]
    (binding [*out* out, *print-length* nil, *print-level* nil, *print-namespace-maps* false]
      (doseq [op history]
        (prn (into {} op))))))

(defn- arguments
  [{:keys [spec initial independent? timeout memory args]} page file]
  (concat ["check" "--color=never" "--html" (str page)]
          (when spec ["--spec" (name spec)])
          (when (some? initial) ["--initial" (pr-str initial)])
          (when independent? ["--independent"])
          (when timeout ["--timeout" (str timeout)])
          (when memory ["--memory" (str memory)])
          args
          [(str file)]))

(defn- run-program
  [program args]
  (try (apply shell/sh program args)
       (catch java.io.IOException e
         (throw (ex-info (str "linchpin: " (ex-message e)
                              ": put linchpin on the PATH of the control node, or give :program")
                         {:program program} e)))))

(defn checker
  "Options, none of them needed:

    :spec          the object, as --spec takes it: \"cas-register\", \"queue\", \"objects.lin:lease\"
    :initial       its first value
    :independent?  values are [key value], each key an object of its own (beside jepsen.independent)
    :timeout       \"30s\", \"5m\"
    :memory        \"4G\"
    :args          more of the program's options, strings
    :program       where linchpin is

  :valid? is true, false, or :unknown where a limit came first. :explanation is what the program
  says, :page and :history are files of the store. What is wrong with the history or the options is
  thrown."
  ([] (checker {}))
  ([options]
   (reify checker/Checker
     (check [_ test history {:keys [subdirectory]}]
       (let [file (store/path! test subdirectory "linchpin.edn")
             page (store/path! test subdirectory "linchpin.html")]
         (write-history! file history)
         (let [{:keys [exit out err]} (run-program (:program options "linchpin")
                                               (arguments options page file))
               valid? (get {0 true, 1 false, 3 :unknown} exit)]
           (when (nil? valid?)
             (throw (ex-info (str "linchpin: " (str/trim err)) {:exit exit, :out out, :err err})))
           {:valid?      valid?
            :explanation (str/trim out)
            :history     (str file)
            :page        (str page)}))))))
